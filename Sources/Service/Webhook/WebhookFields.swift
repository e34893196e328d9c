internal import Core
internal import JSON

/// An object of a webhook's body at its path. What nobody asks for is ignored; null counts as absent.
struct WebhookFields {
    private static let integer = "a whole number of 64 bits"

    private let path: String
    private let members: JSONObject

    /// The whole body.
    init(_ members: JSONObject) {
        self.init(members, path: "")
    }

    private init(_ members: JSONObject, path: String) {
        self.path = path
        self.members = members
    }

    func path(of key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

    func has(_ key: String) -> Bool { value(key) != nil }

    func object(_ key: String) throws(WebhookMistake) -> WebhookFields? {
        guard let value = value(key) else { return nil }
        return try Self.object(value, path: path(of: key))
    }

    func requiredObject(_ key: String) throws(WebhookMistake) -> WebhookFields {
        guard let object = try object(key) else { throw .missing(path: path(of: key), expectation: "an object") }
        return object
    }

    func objects(_ key: String) throws(WebhookMistake) -> [WebhookFields] {
        guard let value = value(key) else { return [] }
        guard case .array(let elements) = value else { throw .unexpected(path: path(of: key), expectation: "a list") }
        var objects: [WebhookFields] = []
        objects.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() { objects.append(try Self.object(element, path: "\(path(of: key))[\(index)]")) }
        return objects
    }

    func string(_ key: String) throws(WebhookMistake) -> String? {
        guard let value = value(key) else { return nil }
        guard case .string(let text) = value else { throw .unexpected(path: path(of: key), expectation: "a string") }
        return text
    }

    func bool(_ key: String) throws(WebhookMistake) -> Bool? {
        guard let value = value(key) else { return nil }
        guard case .bool(let bool) = value else { throw .unexpected(path: path(of: key), expectation: "true or false") }
        return bool
    }

    /// A number, or the decimal digits of one in a string: not every sender's language has integers of 64 bits.
    func integer(_ key: String) throws(WebhookMistake) -> Int64? {
        guard let value = value(key) else { return nil }
        guard let integer = Self.integer(value) else { throw .unexpected(path: path(of: key), expectation: Self.integer) }
        return integer
    }

    func requiredInteger(_ key: String) throws(WebhookMistake) -> Int64 {
        guard let integer = try integer(key) else { throw .missing(path: path(of: key), expectation: Self.integer) }
        return integer
    }

    /// An identifier that must be there.
    /// - Parameters:
    ///   - longest: in UTF-16 code units.
    ///   - problem: the grammar.
    func requiredIdentifier(
        _ key: String, longest: Int, problem: (Span<UInt8>) -> Malformation.Problem?
    ) throws(WebhookMistake) -> String {
        var expectation: String { "a string of 1 to \(longest) UTF-16 code units without control characters" }
        guard let value = value(key) else { throw .missing(path: path(of: key), expectation: expectation) }
        guard case .string(let text) = value, problem(text.utf8.span) == nil else {
            throw .unexpected(path: path(of: key), expectation: expectation)
        }
        return text
    }

    private func value(_ key: String) -> JSONValue? {
        guard let value = members[key], value != .null else { return nil }
        return value
    }

    private static func object(_ value: JSONValue, path: String) throws(WebhookMistake) -> WebhookFields {
        guard case .object(let members) = value else { throw .unexpected(path: path, expectation: "an object") }
        return WebhookFields(members, path: path)
    }

    private static func integer(_ value: JSONValue) -> Int64? {
        switch value {
        case .integer(let integer): integer
        // The initialiser takes a plus sign, which no JSON number has.
        case .string(let text): text.utf8.first == UInt8(ascii: "+") ? nil : Int64(text)
        default: nil
        }
    }
}
