internal import Bytes

/// Any JSON value, outside of the hot path: configuration, responses, events.
package enum JSONValue: Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// A number with a fraction or an exponent.
    case number(JSONNumber)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)
}

extension JSONValue: Equatable {
    /// Compares kind and content, strings as bytes: strings that are equal in Unicode may differ here. Numbers are equal when their texts
    /// are; other types compare 1.0 with 1.
    package static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): left.hasSameBytes(as: right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }
}

// For reading foreign documents, in which a missing member and one of another kind are treated alike, as absent.
extension JSONValue {
    /// Parses strict JSON like `JSONDocument`; nil when it is invalid.
    package init?(parsing bytes: [UInt8]) {
        guard let tape = JSONTape.strict(bytes, maximumDepth: JSONDocument.defaultDepth) else { return nil }
        self = JSONElement(tape, 0).value
    }

    /// A member of an object; nil when there is none, or the value is not an object.
    package subscript(key: String) -> JSONValue? {
        guard case .object(let object) = self else { return nil }
        return object[key]
    }

    /// The value; nil for `null`. Other companies treat a null member as absent.
    package var nonNull: JSONValue? {
        if case .null = self { nil } else { self }
    }

    /// The text of a string; nil for any other value.
    package var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// The number of an integer; nil for any other value.
    package var integer: Int64? {
        guard case .integer(let integer) = self else { return nil }
        return integer
    }

    /// The elements of a list; none for any other value.
    package var elements: [JSONValue] {
        guard case .array(let elements) = self else { return [] }
        return elements
    }

    package var isObject: Bool {
        if case .object = self { true } else { false }
    }
}

// Responses and command output are written as literals; a variable is named by its case, such as `.string(name)`.

extension JSONValue: ExpressibleByNilLiteral {
    /// Makes `null`.
    package init(nilLiteral: ()) {
        self = .null
    }
}

extension JSONValue: ExpressibleByBooleanLiteral {
    /// Makes `true` or `false`.
    package init(booleanLiteral value: Bool) {
        self = .bool(value)
    }
}

extension JSONValue: ExpressibleByIntegerLiteral {
    package init(integerLiteral value: Int64) {
        self = .integer(value)
    }
}

extension JSONValue: ExpressibleByStringLiteral {
    package init(stringLiteral value: String) {
        self = .string(value)
    }
}

extension JSONValue: ExpressibleByArrayLiteral {
    package init(arrayLiteral elements: JSONValue...) {
        self = .array(elements)
    }
}

extension JSONValue: ExpressibleByDictionaryLiteral {
    /// Makes an object with the members of the literal in its order; a repeated key traps.
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        var object = JSONObject()
        for (key, value) in elements {
            object.append(value, forKey: key)
        }
        self = .object(object)
    }
}

extension JSONValue {
    /// A number with the fewest digits that parse to the same value. An infinite one and not-a-number trap.
    package static func real(_ real: Double) -> JSONValue { .number(JSONNumber(real)) }

    /// Writes the value as UTF-8 JSON text without a line end, on one line or indented by two spaces.
    ///
    /// Members keep their order, and numbers their digits.
    package func serialized(pretty: Bool = false) -> [UInt8] {
        var writer = JSONWriter(capacity: Self.defaultBytes)
        if pretty { writer.writeIndented(self, depth: 0) } else { writer.write(self) }
        return writer.bytes
    }

    private static let defaultBytes = 512
}
