internal import Core
internal import JSON

/// An object of a webhook's body, with its path. Unknown fields are ignored; null counts as absent.
struct WebhookFields {
    private static let integer = "a whole number of 64 bits"

    /// The path of the enclosing object, and this object's name in it. They are joined only for an error.
    private let parent: String
    private let name: StaticString
    private let element: JSONElement

    /// The whole body.
    /// - Parameter root: must be an object.
    init(_ root: JSONElement) {
        self.init(root, in: "", named: "")
    }

    private init(_ element: JSONElement, in parent: String, named name: StaticString) {
        self.parent = parent
        self.name = name
        self.element = element
    }

    func path(of key: StaticString) -> String { Self.join(path, key) }

    func has(_ key: StaticString) -> Bool { value(key) != nil }

    func object(_ key: StaticString) throws(WebhookError) -> WebhookFields? {
        guard let value = value(key) else { return nil }
        guard value.isObject else { throw .unexpected(path: path(of: key), expectation: "an object") }
        return WebhookFields(value, in: path, named: key)
    }

    func requiredObject(_ key: StaticString) throws(WebhookError) -> WebhookFields {
        guard let object = try object(key) else { throw .missing(path: path(of: key), expectation: "an object") }
        return object
    }

    func objects(_ key: StaticString) throws(WebhookError) -> [WebhookFields] {
        guard let value = value(key) else { return [] }
        guard value.isArray else { throw .unexpected(path: path(of: key), expectation: "a list") }
        let elements = value.elements
        var objects: [WebhookFields] = []
        objects.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            let path = "\(path(of: key))[\(index)]"
            guard element.isObject else { throw .unexpected(path: path, expectation: "an object") }
            objects.append(WebhookFields(element, in: path, named: ""))
        }
        return objects
    }

    func string(_ key: StaticString) throws(WebhookError) -> String? {
        guard let value = value(key) else { return nil }
        guard let text = value.string else { throw .unexpected(path: path(of: key), expectation: "a string") }
        return text
    }

    /// A text of 1 to `longest` UTF-16 code units without control characters; nil for anything else.
    func plainText(_ key: StaticString, longest: Int) -> String? {
        guard let text = value(key)?.string, FieldGrammar.problem(of: text.utf8.span, longest: longest) == nil else { return nil }
        return text
    }

    func bool(_ key: StaticString) throws(WebhookError) -> Bool? {
        guard let value = value(key) else { return nil }
        guard let bool = value.bool else { throw .unexpected(path: path(of: key), expectation: "true or false") }
        return bool
    }

    /// An integer, or a string with its decimal digits: not every sender's language has 64-bit integers.
    func integer(_ key: StaticString) throws(WebhookError) -> Int64? {
        guard let value = value(key) else { return nil }
        guard let integer = Self.integer(value) else { throw .unexpected(path: path(of: key), expectation: Self.integer) }
        return integer
    }

    func requiredInteger(_ key: StaticString) throws(WebhookError) -> Int64 {
        guard let integer = try integer(key) else { throw .missing(path: path(of: key), expectation: Self.integer) }
        return integer
    }

    /// A required identifier.
    /// - Parameters:
    ///     - longest: in UTF-16 code units.
    ///     - problem: checks the grammar.
    func requiredIdentifier(
        _ key: StaticString, longest: Int, problem: (Span<UInt8>) -> Malformation.Problem?
    ) throws(WebhookError) -> String {
        var expectation: String { "a string of 1 to \(longest) UTF-16 code units without control characters" }
        guard let value = value(key) else { throw .missing(path: path(of: key), expectation: expectation) }
        guard let text = value.string, problem(text.utf8.span) == nil else {
            throw .unexpected(path: path(of: key), expectation: expectation)
        }
        return text
    }

    private func value(_ key: StaticString) -> JSONElement? {
        guard let value = element[key], !value.isNull else { return nil }
        return value
    }

    private var path: String { Self.join(parent, name) }

    private static func join(_ parent: String, _ name: StaticString) -> String {
        if name.utf8CodeUnitCount == 0 { return parent }
        return parent.isEmpty ? "\(name)" : "\(parent).\(name)"
    }

    private static func integer(_ value: JSONElement) -> Int64? {
        if let integer = value.integer { return integer }
        // The initialiser accepts a plus sign, which no JSON number has.
        guard let text = value.string, text.utf8.first != UInt8(ascii: "+") else { return nil }
        return Int64(text)
    }
}
