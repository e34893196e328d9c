internal import JSON

extension JSONValue {
    /// A member of an object; nil for anything else.
    subscript(key: String) -> JSONValue? {
        guard case .object(let object) = self else { return nil }
        return object[key]
    }

    /// The text of a string.
    var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// The number of an integer.
    var integer: Int64? {
        guard case .integer(let integer) = self else { return nil }
        return integer
    }

    /// The values of an array.
    var values: [JSONValue]? {
        guard case .array(let values) = self else { return nil }
        return values
    }

    /// Whether it is an object.
    var isObject: Bool {
        if case .object = self { true } else { false }
    }

    /// Reads strict JSON; nil when it is none.
    init?(_ bytes: [UInt8]) {
        guard let document = try? JSONDocument(parsing: bytes.span) else { return nil }
        self = document.value()
    }
}
