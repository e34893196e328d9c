package import Core
internal import JSON

/// An object of a webhook's body, with its path. Unknown fields are ignored; null counts as absent.
package struct WebhookFields {
    private static let integer = "a whole number of 64 bits"

    /// The path of the enclosing object, and this object's name in it. They are joined only for an error.
    private let parent: String
    private let name: StaticString
    private let element: JSONElement

    /// How many values a body may have, because each takes several times its size in memory.
    private static let mostValues = 32_768

    /// Parses a webhook's body: strict JSON with an object.
    package init(parsing body: Span<UInt8>) throws(WebhookError) {
        let root: JSONElement
        do throws(JSONError) {
            root = try JSONElement(parsing: body, mostValues: Self.mostValues)
        } catch {
            throw .invalidJSON(error)
        }
        guard root.isObject else { throw .notAnObject }
        self.init(root)
    }

    private init(_ root: JSONElement) {
        self.init(root, in: "", named: "")
    }

    private init(_ element: JSONElement, in parent: String, named name: StaticString) {
        self.parent = parent
        self.name = name
        self.element = element
    }

    /// The path of a member, for errors.
    package func path(of key: StaticString) -> String { Self.join(path, key) }

    /// Whether a member is there and not null.
    package func has(_ key: StaticString) -> Bool { value(key) != nil }

    /// An object; nil when it is absent.
    package func object(_ key: StaticString) throws(WebhookError) -> WebhookFields? {
        guard let value = value(key) else { return nil }
        guard value.isObject else { throw .unexpected(path: path(of: key), expectation: "an object") }
        return WebhookFields(value, in: path, named: key)
    }

    /// An object that must be there.
    package func requiredObject(_ key: StaticString) throws(WebhookError) -> WebhookFields {
        guard let object = try object(key) else { throw .missing(path: path(of: key), expectation: "an object") }
        return object
    }

    /// The objects of a list; none when it is absent.
    package func objects(_ key: StaticString) throws(WebhookError) -> [WebhookFields] {
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

    /// A string; nil when it is absent.
    package func string(_ key: StaticString) throws(WebhookError) -> String? {
        guard let value = value(key) else { return nil }
        guard let text = value.string else { throw .unexpected(path: path(of: key), expectation: "a string") }
        return text
    }

    /// A string that people read; nil when it is absent. Half of a surrogate pair, which a sender makes that cuts an emoji in two, is replaced by
    /// U+FFFD: without it the whole event would be lost.
    package func text(_ key: StaticString) throws(WebhookError) -> String? {
        guard let value = value(key) else { return nil }
        guard let text = value.text else { throw .unexpected(path: path(of: key), expectation: "a string") }
        return text
    }

    /// As `text`; nil for anything else, too.
    package func anyText(_ key: StaticString) -> String? { value(key)?.text }

    /// A text of 1 to `longest` UTF-16 code units without control characters; nil for anything else.
    package func plainText(_ key: StaticString, longest: Int) -> String? {
        guard let text = value(key)?.string, FieldGrammar.problem(of: text.utf8.span, longest: longest) == nil else { return nil }
        return text
    }

    /// A boolean; nil when it is absent.
    package func bool(_ key: StaticString) throws(WebhookError) -> Bool? {
        guard let value = value(key) else { return nil }
        guard let bool = value.bool else { throw .unexpected(path: path(of: key), expectation: "true or false") }
        return bool
    }

    /// An integer, or a string with its decimal digits: not every sender's language has 64-bit integers.
    package func integer(_ key: StaticString) throws(WebhookError) -> Int64? {
        guard let value = value(key) else { return nil }
        guard let integer = Self.integer(value) else { throw .unexpected(path: path(of: key), expectation: Self.integer) }
        return integer
    }

    /// An integer that must be there.
    package func requiredInteger(_ key: StaticString) throws(WebhookError) -> Int64 {
        guard let integer = try integer(key) else { throw .missing(path: path(of: key), expectation: Self.integer) }
        return integer
    }

    /// A required identifier.
    /// - Parameters:
    ///     - longest: in UTF-16 code units.
    ///     - problem: checks the grammar.
    package func requiredIdentifier(
        _ key: StaticString, longest: Int, problem: (Span<UInt8>) -> Malformation.Problem?
    ) throws(WebhookError) -> String {
        var expectation: String { "a string of 1 to \(longest) UTF-16 code units without control characters" }
        guard let value = value(key) else { throw .missing(path: path(of: key), expectation: expectation) }
        guard let text = value.string, problem(text.utf8.span) == nil else {
            throw .unexpected(path: path(of: key), expectation: expectation)
        }
        return text
    }

    /// The objects of a list, without what is none; none when it is absent or no list.
    package func anyObjects(_ key: StaticString) -> [WebhookFields] {
        (value(key)?.elements ?? []).filter(\.isObject).map { WebhookFields($0, in: path(of: key), named: "") }
    }

    /// An object; nil for anything else.
    package func anyObject(_ key: StaticString) -> WebhookFields? {
        value(key).flatMap { $0.isObject ? WebhookFields($0, in: path, named: key) : nil }
    }

    /// A string; nil for anything else.
    package func anyString(_ key: StaticString) -> String? { value(key)?.string }

    /// An integer or a string with its decimal digits; nil for anything else.
    package func anyInteger(_ key: StaticString) -> Int64? { value(key).flatMap { Self.integer($0) } }

    /// An identity, given as a number or a text; nil for anything else.
    package func anyID(_ key: StaticString) -> HelpDeskID? { value(key).flatMap { HelpDeskID($0) } }

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
