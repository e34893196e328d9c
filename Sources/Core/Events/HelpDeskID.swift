package import JSON

/// The help desk's id of an object of its own, such as a ticket or a comment: opaque text of 1 to 255 bytes of UTF-8 without control
/// characters. Ids are compared as bytes, so `7` and `007` differ.
package struct HelpDeskID: Sendable, Hashable, CustomStringConvertible {
    /// In bytes.
    package static let longest = 255

    private let key: ByteKey

    /// Returns nil for malformed text.
    package init?(_ text: String) {
        // The grammar counts UTF-16 code units, which are never more than bytes.
        guard text.utf8.count <= Self.longest, FieldGrammar.problem(of: text.utf8.span, longest: Self.longest) == nil else { return nil }
        key = ByteKey(text)
    }

    package init(_ number: Int64) {
        key = ByteKey("\(number)")
    }

    /// Reads the form of `json`; nil for any other value.
    package init?(_ value: JSONElement) {
        if let number = value.integer { self.init(number) } else if let text = value.string { self.init(text) } else { return nil }
    }

    package var text: String { key.text }

    package var description: String { text }

    /// The 64-bit integer whose canonical decimal text this is; otherwise nil. Such an id is a number in JSON and logs, any other a string.
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
        guard let id = HelpDeskID(text) else { preconditionFailure("the text is not an identity") }
        self = id
    }
}

extension JSONWriter {
    /// Adds an id in the form of `HelpDeskID.json`, or null.
    package mutating func add(_ name: StaticString, id: HelpDeskID?) {
        if let number = id?.number { add(name, number) } else { add(name, id?.text) }
    }
}
