// For reading what others wrote, where whatever is missing or of another kind says the same: nothing.
extension JSONValue {
    /// Reads strict JSON, as `JSONDocument` does; nil when it is none.
    package init?(parsing bytes: [UInt8]) {
        if let tape = JSONTape.plain(bytes, maximumDepth: JSONDocument.usualDepth) {
            self = JSONElement(tape, 0).value
        } else {
            guard !bytes.isEmpty, let document = try? JSONDocument(parsing: bytes.span) else { return nil }
            self = document.value()
        }
    }

    /// A member of an object; nil when there is none, or the value is no object.
    package subscript(key: String) -> JSONValue? {
        guard case .object(let object) = self else { return nil }
        return object[key]
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

    /// Whether it is an object.
    package var isObject: Bool {
        if case .object = self { true } else { false }
    }
}
