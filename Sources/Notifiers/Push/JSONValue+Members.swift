internal import JSON

extension JSONValue {
    /// A member of an object; nil when there is none, or the value is no object.
    subscript(key: String) -> JSONValue? {
        guard case .object(let object) = self else { return nil }
        return object[key]
    }

    /// The text of a string; nil for any other value.
    var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// The elements of a list; none for any other value.
    var elements: [JSONValue] {
        guard case .array(let elements) = self else { return [] }
        return elements
    }
}

extension JSONObject {
    /// Adds a member at the end if there is a value.
    mutating func append(_ value: JSONValue?, unlessMissing key: String) {
        if let value { append(value, forKey: key) }
    }
}
