package import JSON

/// An identity that the help desk gave to something of its own, such as a ticket or a comment: opaque text of 1 to 255 bytes of UTF-8
/// without control characters. Identities are compared as bytes, so `7` and `007` differ.
package struct HelpDeskID: Sendable, Hashable, CustomStringConvertible {
    /// The longest identity in bytes.
    package static let longest = 255

    private let key: ByteKey

    /// Takes an identity's text; nil when the text has not the form of one.
    package init?(_ text: String) {
        // The grammar counts UTF-16 code units, which are never more than bytes.
        guard text.utf8.count <= Self.longest, FieldGrammar.problem(of: text.utf8.span, longest: Self.longest) == nil else { return nil }
        key = ByteKey(text)
    }

    /// Takes an identity that the help desk gives as a number.
    package init(_ number: Int64) {
        key = ByteKey("\(number)")
    }

    /// Reads an identity as `json` writes it; nil for any other value.
    package init?(_ value: JSONElement) {
        if let number = value.integer { self.init(number) } else if let text = value.string { self.init(text) } else { return nil }
    }

    package var text: String { key.text }

    package var description: String { text }

    /// The integer of 64 bits whose canonical decimal text this is; nil for any other identity.
    ///
    /// In JSON and in logs such an identity is a number, and any other one is a string.
    package var number: Int64? {
        guard let number = Int64(text), text == "\(number)" else { return nil }
        return number
    }

    /// The identity as a value of JSON, as `number` says.
    package var json: JSONValue { number.map { .integer($0) } ?? .string(text) }
}

extension HelpDeskID: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
    package init(integerLiteral number: Int64) { self.init(number) }

    /// An identity in the program's text; traps when it has not the form of one.
    package init(stringLiteral text: String) {
        guard let id = HelpDeskID(text) else { preconditionFailure("the text is not an identity") }
        self = id
    }
}

extension JSONWriter {
    /// Adds a member that is an identity as `HelpDeskID.json` says, or null where there is none.
    package mutating func add(_ name: StaticString, id: HelpDeskID?) {
        if let number = id?.number { add(name, number) } else { add(name, id?.text) }
    }
}
