package import Core
internal import JSON
package import Time

/// An object of a webhook's body, with its path. Unknown members are ignored; null means absent.
///
/// Members that identify an event are required; one of another type is an error. The help desk posts a webhook only once, so an optional
/// member of another type is treated as absent and listed in `leftOut`.
package struct WebhookFields {
    private static let integer = "a 64-bit integer"

    /// Shared by the objects of one body.
    private final class SkippedMembers {
        var paths: [String] = []
    }

    /// The path of the enclosing object, and this object's name in it. They are joined only when needed.
    private let parent: String
    private let name: StaticString
    private let element: JSONElement
    private let odd: SkippedMembers

    /// The maximum number of values in a body, because each takes several times its size in memory.
    private static let maximumValues = 32_768

    package init(parsing body: Span<UInt8>) throws(WebhookError) {
        let root: JSONElement
        do throws(JSONError) {
            root = try JSONElement(parsing: body, maximumValues: Self.maximumValues)
        } catch {
            throw .invalidJSON(error)
        }
        guard root.isObject else { throw .notAnObject }
        self.init(root, in: "", named: "", SkippedMembers())
    }

    private init(_ element: JSONElement, in parent: String, named name: StaticString, _ odd: SkippedMembers) {
        self.parent = parent
        self.name = name
        self.element = element
        self.odd = odd
    }

    /// The distinct paths of the optional members that had another type, in all objects of this body. A path has `[]` for a list element,
    /// so it contains only names from the program.
    package var leftOut: [String] { odd.paths }

    package func path(of key: StaticString) -> String { Self.join(path, key) }

    package func has(_ key: StaticString) -> Bool { value(key) != nil }

    package func isEmptyText(_ key: StaticString) -> Bool { value(key)?.string?.isEmpty == true }

    package func requiredObject(_ key: StaticString) throws(WebhookError) -> WebhookFields {
        try required(key, "an object") { self.object($0, key) }
    }

    /// Returns an integer, also from a string of its decimal digits.
    package func requiredInteger(_ key: StaticString) throws(WebhookError) -> Int64 {
        try required(key, Self.integer) { Self.integer($0) }
    }

    /// - Parameter expectation: describes the expected string, for an error.
    package func requiredString(_ key: StaticString, _ expectation: String) throws(WebhookError) -> String {
        try required(key, expectation) { $0.string }
    }

    /// Returns an identity, given as a number or a string.
    /// - Parameter expectation: describes the expected identity, for an error.
    package func requiredID(_ key: StaticString, _ expectation: String) throws(WebhookError) -> HelpDeskID {
        try required(key, expectation) { HelpDeskID($0) }
    }

    /// - Parameters:
    ///   - longest: the maximum length in UTF-16 code units.
    ///   - problem: checks the grammar.
    package func requiredIdentifier(
        _ key: StaticString, longest: Int, problem: (Span<UInt8>) -> ValidationError.Problem?
    ) throws(WebhookError) -> String {
        try required(key, "a string of 1 to \(longest) UTF-16 code units without control characters") { value in
            value.string.flatMap { problem($0.utf8.span) == nil ? $0 : nil }
        }
    }

    package func object(_ key: StaticString) -> WebhookFields? {
        optional(key) { object($0, key) }
    }

    /// Returns the objects of a list, without elements of another type; empty when the list is absent.
    package func objects(_ key: StaticString) -> [WebhookFields] {
        guard let elements = optional(key, { $0.isArray ? $0.elements : nil }) else { return [] }
        let path = "\(path(of: key))[]"
        let objects = elements.filter(\.isObject)
        if objects.count < elements.count { leaveOut(path) }
        return objects.map { WebhookFields($0, in: path, named: "", odd) }
    }

    package func string(_ key: StaticString) -> String? { optional(key) { $0.string } }

    /// Returns a string for display. An unpaired surrogate, which results when a sender cuts an emoji in two, is replaced by U+FFFD.
    package func text(_ key: StaticString) -> String? { optional(key) { $0.text } }

    /// Returns a string of 1 to `longest` UTF-16 code units without control characters.
    package func plainText(_ key: StaticString, longest: Int) -> String? {
        optional(key) { value in
            value.string.flatMap { FieldGrammar.problem(of: $0.utf8.span, longest: longest) == nil ? $0 : nil }
        }
    }

    /// Returns a boolean. 0 and 1 are accepted, because some databases have no booleans.
    package func bool(_ key: StaticString) -> Bool? {
        optional(key) { value in
            switch value.integer {
            case 0: false
            case 1: true
            default: value.bool
            }
        }
    }

    /// Returns an integer. A string of decimal digits is accepted, because some senders' languages have no 64-bit integers.
    package func integer(_ key: StaticString) -> Int64? { optional(key) { Self.integer($0) } }

    package func id(_ key: StaticString) -> HelpDeskID? { optional(key) { HelpDeskID($0) } }

    /// Returns an RFC 3339 date and time, not before 1970.
    package func time(_ key: StaticString) -> UnixMilliseconds? {
        optional(key) { $0.string.flatMap { RFC3339.unixMilliseconds($0) } }
    }

    private func value(_ key: StaticString) -> JSONElement? {
        guard let value = element[key], !value.isNull else { return nil }
        return value
    }

    private func required<Value>(
        _ key: StaticString, _ expectation: @autoclosure () -> String, read: (JSONElement) -> Value?
    ) throws(WebhookError) -> Value {
        guard let value = value(key) else { throw .missing(path: path(of: key), expectation: expectation()) }
        guard let read = read(value) else { throw .unexpected(path: path(of: key), expectation: expectation()) }
        return read
    }

    private func optional<Value>(_ key: StaticString, _ read: (JSONElement) -> Value?) -> Value? {
        guard let value = value(key) else { return nil }
        let read = read(value)
        if read == nil { leaveOut(path(of: key)) }
        return read
    }

    private func leaveOut(_ path: String) {
        if !odd.paths.contains(path) { odd.paths.append(path) }
    }

    private func object(_ value: JSONElement, _ key: StaticString) -> WebhookFields? {
        value.isObject ? WebhookFields(value, in: path, named: key, odd) : nil
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
