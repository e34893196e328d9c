internal import Bytes
internal import Core
internal import HTTPServer
internal import HelpDesk
internal import JSON
internal import JSONSchema

/// The arguments of a call as received: texts from a query or a form, and members of a JSON object.
struct ReceivedArguments: Sendable {
    /// The maximum size of the JSON text in bytes.
    static let longest = 64 * 1024
    /// The maximum number of arguments, which limits the search for duplicate names.
    static let most = 256
    /// The maximum number of values and names in a JSON text. In a tree, each takes about a hundred times the memory of its text.
    static let maximumValues = 8192

    private var texts: [(name: String, text: String)] = []
    private var object = JSONObject()

    /// Reads the query and the body of a request: a JSON object or a form. The error contains a sentence that describes the mistake.
    /// - Parameter byteCount: set to the total length of both, even when the call throws.
    init(_ request: borrowing Request, byteCount: inout Int) throws(BotArgumentsProblem) {
        let items = request.queryItems().filter { !$0.name.isEmpty || !$0.value.isEmpty }
        let body = request.withBody { body in Array(copying: body) }
        byteCount = items.reduce(body.count) { $0 + $1.name.count + $1.value.count }
        guard items.count <= Self.most else { throw Self.tooMany }
        for item in items {
            // The server has already decoded each `+`.
            texts.append((try FormText.decoded(item.name.span), try FormText.decoded(item.value.span)))
        }
        guard !Self.isBlank(body) else { return }
        switch BodyFormat(of: request) {
        case .json: object = try Self.object(body)
        case .form: texts += try FormText.pairs(of: body)
        }
    }

    /// Reads the arguments from a model in the body of a call: an object, or its JSON text. The error contains a sentence that describes
    /// the mistake.
    /// - Parameter body: a JSON object that `sourceMap` has accepted.
    init(ofCall body: [UInt8]) throws(BotArgumentsProblem) {
        if let arguments = try Self.read(body)["arguments"] { try Self.checkNumbers(in: arguments) }
        switch try Self.tree(body)["arguments"] {
        // Some models omit the arguments of a function without parameters.
        case nil, .null: break
        case .object(let members): object = try Self.checked(members)
        case .string(let text): object = try Self.object(Array(text.utf8))
        default: throw BotArgumentsProblem("the arguments must be a JSON object, or its text")
        }
    }

    init(checked object: JSONObject) {
        self.object = object
    }

    /// Removes and returns an argument; nil when no argument has this name.
    /// - Throws: an error when the argument is not a text, or occurs twice.
    mutating func takeText(_ name: String) throws(BotArgumentsProblem) -> String? {
        let isWanted = { (other: String) in other.utf8.elementsEqual(name.utf8) }
        var found = texts.filter { isWanted($0.name) }.map { JSONValue.string($0.text) }
        texts.removeAll { isWanted($0.name) }
        if let member = object[name] {
            found.append(member)
            object = JSONObject(object.members.filter { !isWanted($0.key) }.map { ($0.key, $0.value) })
        }
        guard found.count <= 1 else { throw BotArgumentsProblem("\(name) has two values") }
        guard let value = found.first else { return nil }
        guard case .string(let text) = value else { throw BotArgumentsProblem("\(name) must be a text") }
        return text
    }

    /// Returns the arguments as one object, in which each text is converted to the type of its parameter. Throws when a name is duplicate
    /// or forbidden.
    func value(for function: BotFunction) throws(BotArgumentsProblem) -> JSONValue {
        let all = try together(for: function)
        guard !Self.hasPrototype(all) else { throw Self.prototype }
        return all
    }

    private func together(for function: BotFunction) throws(BotArgumentsProblem) -> JSONValue {
        guard texts.count + object.members.count <= Self.most else { throw Self.tooMany }
        guard !texts.isEmpty else { return .object(object) }
        guard case .object(var all) = try function.value(ofTexts: texts) else { preconditionFailure("texts with names are an object") }
        for member in object.members {
            guard all[member.key] == nil else { throw BotArgumentsProblem("\(JSONSchema.shown(member.key)) has two values") }
            all.append(member.value, forKey: member.key)
        }
        return .object(all)
    }

    /// In JavaScript, a member with this name can change the prototype of all objects.
    private static let prototype = BotArgumentsProblem("a member must not have the name __proto__")

    static let tooMany = BotArgumentsProblem("there are more than \(most) arguments")

    private static func checked(_ object: JSONObject) throws(BotArgumentsProblem) -> JSONObject {
        guard object.members.count <= most else { throw tooMany }
        return object
    }

    private static func hasPrototype(_ value: JSONValue) -> Bool {
        switch value {
        case .object(let object): object.members.contains { $0.key == "__proto__" || hasPrototype($0.value) }
        case .array(let values): values.contains(where: hasPrototype)
        default: false
        }
    }

    private static func isBlank(_ bytes: [UInt8]) -> Bool {
        bytes.allSatisfy { [0x09, 0x0A, 0x0D, 0x20].contains($0) }
    }

    private static func object(_ bytes: [UInt8]) throws(BotArgumentsProblem) -> JSONObject {
        guard !isBlank(bytes) else { return JSONObject() }
        try checkNumbers(in: try read(bytes))
        switch try tree(bytes) {
        case .null: return JSONObject()
        case .object(let object): return try checked(object)
        default: throw BotArgumentsProblem("the arguments must be a JSON object")
        }
    }

    private static func read(_ text: [UInt8]) throws(BotArgumentsProblem) -> JSONElement {
        do throws(JSONError) {
            return try sourceMap(text.span)
        } catch {
            throw notJSON(error)
        }
    }

    /// Reports the parameter of a number that cannot be represented exactly. The parser of the tree would report only line and column.
    private static func checkNumbers(in arguments: JSONElement) throws(BotArgumentsProblem) {
        if let violation = JSONSchema.violation(ofNumbersIn: arguments) { throw BotArgumentsProblem(violation.description) }
    }

    /// Scans a JSON text with at most `maximumValues` values and names, without creating a tree.
    static func sourceMap(_ text: Span<UInt8>) throws(JSONError) -> JSONElement {
        try JSONElement(parsing: text, maximumValues: maximumValues)
    }

    /// Reads the body of a request that contains a ticket: a JSON object.
    static func callBody(_ request: borrowing Request) throws(BotArgumentsProblem) -> JSONElement {
        let body: JSONElement
        do throws(JSONError) {
            body = try request.withBody { body throws(JSONError) in try sourceMap(body) }
        } catch {
            throw BotArgumentsProblem("the body is not strict JSON: \(error)")
        }
        guard body.isObject else { throw BotArgumentsProblem("the body must be a JSON object") }
        return body
    }

    private static func tree(_ text: [UInt8]) throws(BotArgumentsProblem) -> JSONValue {
        do throws(JSONError) {
            return try JSONDocument(parsing: text.span).value()
        } catch {
            throw notJSON(error)
        }
    }

    private static func notJSON(_ error: JSONError) -> BotArgumentsProblem {
        BotArgumentsProblem("the arguments are not strict JSON: \(error)")
    }
}

/// Decodes the texts of queries and forms strictly: rejects broken escapes and invalid UTF-8.
enum FormText {
    /// Returns the pairs of a form in order. Omits empty pairs.
    static func pairs(of form: [UInt8]) throws(BotArgumentsProblem) -> [(name: String, text: String)] {
        let parts = form.split(separator: UInt8(ascii: "&"))
        guard parts.count <= ReceivedArguments.most else { throw ReceivedArguments.tooMany }
        var pairs: [(name: String, text: String)] = []
        for pair in parts {
            let end = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            let (name, value) = (pair[..<end], pair[end...].dropFirst())
            pairs.append((try decoded(name.span, isForm: true), try decoded(value.span, isForm: true)))
        }
        return pairs
    }

    /// - Parameter isForm: whether to decode `+` as a space.
    static func decoded(_ text: Span<UInt8>, isForm: Bool = false) throws(BotArgumentsProblem) -> String {
        guard let bytes = PercentEncoding.decoded(text, isForm: isForm) else {
            throw BotArgumentsProblem("the arguments contain a % without two hexadecimal digits")
        }
        guard let valid = try? UTF8Span(validating: bytes.span) else { throw BotArgumentsProblem("the arguments are not valid UTF-8") }
        return String(copying: valid)
    }
}
