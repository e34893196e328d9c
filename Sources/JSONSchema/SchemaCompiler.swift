internal import Bytes
internal import JSON

/// Compiles a schema, and records everything in it that is invalid or not supported.
final class SchemaCompiler {
    /// The maximum depth of schemas, `$ref` included: bounds the recursion here and in `SchemaCheck`.
    private static let deepest = 64
    /// The maximum total number of schemas.
    private static let maximumNodes = 10_000
    private static let maximumMistakes = 100

    struct Place {
        let path: String
        /// Whether objects with `properties` reject other names by default.
        var isClosed: Bool
        let depth: Int

        func member(_ name: String) -> Place {
            Place(path: "\(path).\(JSONSchema.shown(name))", isClosed: isClosed, depth: depth + 1)
        }

        func element(_ index: Int) -> Place {
            Place(path: "\(path)[\(index)]", isClosed: isClosed, depth: depth + 1)
        }

        /// The same position, with objects that accept any name.
        var open: Place { Place(path: path, isClosed: false, depth: depth) }
    }

    private enum Definition {
        case underWay
        case compiled(SchemaNode)
    }

    private(set) var mistakes: [JSONSchema.Mistake] = []
    private let root: JSONValue
    private let refusesUnknownNames: Bool
    private var count = 0
    /// By name, and by whether its objects are closed.
    private var definitions: [[UInt8]: Definition] = [:]

    init(root: JSONValue, refusesUnknownNames: Bool) {
        self.root = root
        self.refusesUnknownNames = refusesUnknownNames
    }

    /// Compiles the whole schema. The result is valid only if there are no mistakes.
    func compiledRoot() -> SchemaNode {
        let place = Place(path: "", isClosed: refusesUnknownNames, depth: 0)
        // So that mistakes in unused definitions are found.
        if let definitions = root["$defs"] {
            let defsPlace = place.member("$defs")
            if case .object(let object) = definitions {
                for member in object.members { _ = definition(member.key, place.isClosed, at: defsPlace.member(member.key)) }
            } else {
                refuse(defsPlace, "must be an object of schemas")
            }
        }
        return compile(root, place)
    }

    func compile(_ schema: JSONValue, _ place: Place) -> SchemaNode {
        count += 1
        if count == Self.maximumNodes { refuse(place, "the schema has more than \(Self.maximumNodes) parts; make it simpler") }
        guard count < Self.maximumNodes else { return .anything }
        guard place.depth <= Self.deepest else {
            refuse(place, "nested more than \(Self.deepest) deep")
            return .anything
        }
        switch schema {
        case .bool(let isAnything): return isAnything ? .anything : .never
        case .object(let object): return compile(object, place)
        default:
            refuse(place, "must be a schema, which is an object, true or false")
            return .anything
        }
    }

    /// Records a mistake once: a definition is compiled a second time with open objects.
    func refuse(_ place: Place, _ message: String) {
        let mistake = JSONSchema.Mistake(path: place.path, description: message)
        if mistakes.count < Self.maximumMistakes, !mistakes.contains(mistake) { mistakes.append(mistake) }
    }

    private func compile(_ object: JSONObject, _ place: Place) -> SchemaNode {
        var reader = SchemaReader(compiler: self, place: place)
        for member in object.members { reader.read(member.key, value: member.value, at: place.member(member.key)) }
        return SchemaNode(reader.finished())
    }

    /// Compiles the target of `$ref`; nil when it is invalid.
    func compile(reference: JSONValue, _ place: Place) -> SchemaNode? {
        let prefix = "#/$defs/"
        guard case .string(let text) = reference, text.hasPrefix(prefix), let name = Self.unescaped(text.dropFirst(prefix.count)) else {
            refuse(place, "must be \"\(prefix)NAME\"; other references are not supported")
            return nil
        }
        return definition(name, place.isClosed, at: place)
    }

    private func definition(_ name: String, _ isClosed: Bool, at place: Place) -> SchemaNode? {
        guard let schema = root["$defs"]?[name] else {
            refuse(place, "there is no $defs.\(JSONSchema.shown(name))")
            return nil
        }
        let key = Array(name.utf8) + [isClosed ? 1 : 0]
        switch definitions[key] {
        case .compiled(let node): return node
        case .underWay:
            refuse(place, "refers to itself, also by way of others; a schema must end somewhere")
            return nil
        case nil:
            definitions[key] = .underWay
            let at = Place(path: ".$defs.\(JSONSchema.shown(name))", isClosed: isClosed, depth: place.depth + 1)
            let node = compile(schema, at)
            definitions[key] = .compiled(node)
            return node
        }
    }

    /// A JSON Pointer's token in a fragment (RFC 6901 sections 4 and 6); nil for one with a slash or wrong escapes.
    private static func unescaped(_ text: Substring) -> String? {
        guard let bytes = PercentEncoding.decoded(text.utf8.span), let token = String(validating: bytes, as: UTF8.self),
            !token.utf8.contains(UInt8(ascii: "/"))
        else { return nil }
        let parts = token.split(separator: "~", omittingEmptySubsequences: false)
        guard parts.dropFirst().allSatisfy({ $0.first == "0" || $0.first == "1" }) else { return nil }
        return parts.dropFirst().reduce(String(parts[0])) { $0 + ($1.first == "0" ? "~" : "/") + $1.dropFirst() }
    }
}
