/// A value of a parsed JSON text, read where it is asked for: nothing is copied but the text itself, once, and strings that are wanted.
///
/// The text is strict JSON by the rules of `JSONDocument`, but for what matters only to those who read it: numbers may have any size, keys
/// may hold `\u0000`, and strings may hold half of a surrogate pair. Who reads such a value finds none of the kind that is wanted.
package struct JSONElement: Sendable {
    enum Kind: Sendable {
        case null, bool, integer, real, string, array, object
    }

    private let tape: JSONTape
    private let index: Int

    /// Parses `text`, with arrays and objects nested at most `maximumDepth` deep, and gives its root. What this takes of memory is a copy
    /// of the text, and 32 bytes a value or key, of which there may be `maximumValues`.
    ///
    /// The size is the caller's to bound. Throws at the first mistake.
    package init(
        parsing text: Span<UInt8>, maximumDepth: Int = JSONDocument.defaultDepth, maximumValues: Int = .max
    ) throws(JSONError) {
        tape = try JSONTape.parsed(text, maximumDepth: maximumDepth, maximumValues: maximumValues)
        index = 0
    }

    init(_ tape: JSONTape, _ index: Int) {
        self.tape = tape
        self.index = index
    }

    var kind: Kind { entry.kind }

    package var isNull: Bool { kind == .null }

    package var isObject: Bool { kind == .object }

    package var isArray: Bool { kind == .array }

    /// A boolean's value; nil for everything else.
    package var bool: Bool? { kind == .bool ? entry.start == 1 : nil }

    /// An integer's value; nil for everything else.
    package var integer: Int64? { kind == .integer ? Int64(entry.start) : nil }

    /// A number with a fraction or an exponent; nil for everything else.
    package var number: JSONNumber? {
        let entry = entry
        guard entry.kind == .real, !entry.isUnreadable else { return nil }
        let bytes = tape.bytes
        return JSONNumber(scanned: entry.start..<entry.start + entry.count, of: bytes.span)
    }

    /// Whether it is a number that is out of range: an integer beyond 64 bits, or one that is infinite as a `Double`.
    package var isNumberOutOfRange: Bool { kind == .real && entry.isUnreadable }

    /// A string's value, which may hold NUL; nil for everything else.
    package var string: String? {
        utf8.map { String(decoding: $0, as: UTF8.self) }
    }

    /// A string's value with U+FFFD in the place of each half of a surrogate pair; nil for everything else.
    package var text: String? {
        guard entry.kind == .string, entry.isUnreadable else { return string }
        let bytes = tape.bytes
        return String(decoding: JSONEscape.bytes(of: entry, in: bytes.span, isRepaired: true), as: UTF8.self)
    }

    /// An array's elements in their order; empty for everything else.
    package var elements: [JSONElement] {
        guard kind == .array else { return [] }
        var elements: [JSONElement] = []
        var next = index + 1
        while next < entry.end {
            elements.append(JSONElement(tape, next))
            next = tape.entries[next].end
        }
        return elements
    }

    /// An object's members in their order, with U+FFFD in a name as in `text`; none for everything else.
    package var members: [(name: String, value: JSONElement)] {
        guard kind == .object else { return [] }
        var members: [(name: String, value: JSONElement)] = []
        var key = index + 1
        while key < entry.end {
            members.append((JSONElement(tape, key).text ?? "", JSONElement(tape, key + 1)))
            key = tape.entries[key + 1].end
        }
        return members
    }

    /// An object's member of this name, by its UTF-8 bytes; nil when there is none, and for everything that is no object.
    ///
    /// The cost grows with the number of members.
    package subscript(name: StaticString) -> JSONElement? {
        guard kind == .object else { return nil }
        let bytes = tape.bytes
        let text = bytes.span
        var key = index + 1
        while key < entry.end {
            if Self.isKey(tape.entries[key], name, in: text) { return JSONElement(tape, key + 1) }
            key = tape.entries[key + 1].end
        }
        return nil
    }

    private static func isKey(_ key: JSONTape.Entry, _ name: StaticString, in text: Span<UInt8>) -> Bool {
        guard key.hasEscapes else { return text.holds(name, at: key.start..<key.start + key.count) }
        let bytes = JSONEscape.bytes(of: key, in: text)
        return bytes.span.holds(name, at: 0..<bytes.count)
    }

    private var entry: JSONTape.Entry { tape.entries[index] }

    /// A string's bytes; nil for everything else.
    var utf8: ArraySlice<UInt8>? {
        let entry = entry
        guard entry.kind == .string, !entry.isUnreadable else { return nil }
        let bytes = tape.bytes
        return entry.hasEscapes ? JSONEscape.bytes(of: entry, in: bytes.span)[...] : bytes[entry.start..<entry.start + entry.count]
    }
}

extension JSONElement {
    /// A copy of it and of all in it, for a tape of `JSONTape.strict`.
    var value: JSONValue {
        switch kind {
        case .null: .null
        case .bool: .bool(bool == true)
        case .integer: .integer(integer ?? 0)
        case .string: .string(string ?? "")
        case .array: .array(elements.map(\.value))
        case .object: .object(JSONObject(distinct: members.map { JSONObject.Member(key: $0.name, value: $0.value.value) }))
        case .real: .number(number ?? JSONNumber(0))
        }
    }
}

/// The reason why a string field could not be read; it never holds the field's value.
package struct JSONFieldError: Error {
    package enum Problem: Equatable, Sendable {
        case missing, null, notAString, rootNotAnObject
    }

    package let name: StaticString
    package let problem: Problem
}

extension JSONFieldError: CustomStringConvertible {
    /// The mistake in words, such as `user_id is missing`.
    package var description: String {
        switch problem {
        case .missing: "\(name) is missing"
        case .null: "\(name) is null, a string was expected"
        case .notAString: "\(name) is not a string"
        case .rootNotAnObject: "\(name) was expected in a JSON object, the text is something else"
        }
    }
}
