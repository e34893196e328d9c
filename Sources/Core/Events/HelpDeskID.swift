package import JSON

/// The id of an object in the help desk, such as a ticket or a comment: opaque text of 1 to 255 bytes of UTF-8 without control characters.
/// Ids are compared as bytes, so `7` and `007` differ.
package struct HelpDeskID: Sendable, Hashable, CustomStringConvertible {
    /// The maximum length in bytes.
    package static let longest = 255

    private let key: ByteKey

    /// Returns nil for malformed text.
    package init?(_ text: String) {
        // The grammar counts UTF-16 code units. A text never has more code units than bytes.
        guard text.utf8.count <= Self.longest, FieldGrammar.problem(of: text.utf8.span, longest: Self.longest) == nil else { return nil }
        key = ByteKey(text)
    }

    package init(_ number: Int64) {
        key = ByteKey("\(number)")
    }

    /// Reads a value in the format of `json`; nil for any other value.
    package init?(_ value: JSONElement) {
        if let number = value.integer { self.init(number) } else if let text = value.string { self.init(text) } else { return nil }
    }

    package var text: String { key.text }

    package var description: String { text }

    /// The 64-bit integer, if the text is its canonical decimal form; otherwise nil. In JSON and logs, such an id is a number, and any
    /// other id is a string.
    package var number: Int64? {
        guard let number = Int64(text), text == "\(number)" else { return nil }
        return number
    }

    package var json: JSONValue { number.map { .integer($0) } ?? .string(text) }
}

extension HelpDeskID: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
    package init(integerLiteral number: Int64) { self.init(number) }

    /// Traps for malformed text.
    package init(stringLiteral text: String) {
        guard let id = HelpDeskID(text) else { preconditionFailure("the text is not a valid id") }
        self = id
    }
}

extension JSONWriter {
    /// Adds an id in the format of `HelpDeskID.json`, or null.
    package mutating func add(_ name: StaticString, id: HelpDeskID?) {
        if let number = id?.number { add(name, number) } else { add(name, id?.text) }
    }
}
