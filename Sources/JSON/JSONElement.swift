/// A value of a parsed JSON text, decoded only on access. Only the text and requested strings are copied.
///
/// The text is strict JSON by the rules of `JSONDocument`, with three exceptions that affect only access to the value: numbers may have any
/// size, keys may contain `\u0000`, and strings may contain half of a surrogate pair. The typed accessors return nil for values that they
/// cannot represent.
package struct JSONElement: Sendable {
    enum Kind: Sendable {
        case null, bool, integer, real, string, array, object
    }

    private let tape: JSONTape
    private let index: Int

    /// Parses `text`, with arrays and objects nested at most `maximumDepth` deep, and creates its root. The memory is a copy of the text,
    /// and 32 bytes for each value and key, of which at most `maximumValues` are allowed.
    ///
    /// The caller must limit the size. Throws at the first error.
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

    /// The value of a Boolean; nil for any other value.
    package var bool: Bool? { kind == .bool ? entry.start == 1 : nil }

    /// The value of an integer; nil for any other value.
    package var integer: Int64? { kind == .integer ? Int64(entry.start) : nil }

    /// A number with a fraction or an exponent; nil for any other value.
    package var number: JSONNumber? {
        let entry = entry
        guard entry.kind == .real, !entry.isUnreadable else { return nil }
        let bytes = tape.bytes
        return JSONNumber(scanned: entry.start..<entry.start + entry.count, of: bytes.span)
    }

    /// Whether the value is a number out of range: an integer beyond 64 bits, or a number that is infinite as a `Double`.
    package var isNumberOutOfRange: Bool { kind == .real && entry.isUnreadable }

    /// The value of a string, which may contain NUL; nil for any other value.
    package var string: String? {
        utf8.map { String(decoding: $0, as: UTF8.self) }
    }

    /// The value of a string, in which U+FFFD replaces each half of a surrogate pair; nil for any other value.
    package var text: String? {
        guard entry.kind == .string, entry.isUnreadable else { return string }
        let bytes = tape.bytes
        return String(decoding: JSONEscape.bytes(of: entry, in: bytes.span, isRepaired: true), as: UTF8.self)
    }

    /// The elements of an array in order; empty for any other value.
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

    /// The members of an object in order; empty for any other value. Names are repaired with U+FFFD like `text`.
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

    /// Returns an object's member with this name, compared as UTF-8 bytes; nil when the member is missing or the value is not an object.
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

    /// The bytes of a string; nil for any other value.
    var utf8: ArraySlice<UInt8>? {
        let entry = entry
        guard entry.kind == .string, !entry.isUnreadable else { return nil }
        let bytes = tape.bytes
        return entry.hasEscapes ? JSONEscape.bytes(of: entry, in: bytes.span)[...] : bytes[entry.start..<entry.start + entry.count]
    }
}

extension JSONElement {
    /// A copy of the value with all nested values. The tape must come from `JSONTape.strict`.
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

/// The reason why a string field could not be read. It never contains the field's value.
package struct JSONFieldError: Error {
    package enum Problem: Equatable, Sendable {
        case missing, null, notAString, rootNotAnObject
    }

    package let name: StaticString
    package let problem: Problem
}

extension JSONFieldError: CustomStringConvertible {
    /// The error as text, such as `user_id is missing`.
    package var description: String {
        switch problem {
        case .missing: "\(name) is missing"
        case .null: "\(name) is null, but a string was expected"
        case .notAString: "\(name) is not a string"
        case .rootNotAnObject: "\(name) was expected in a JSON object, but the text is not an object"
        }
    }
}
