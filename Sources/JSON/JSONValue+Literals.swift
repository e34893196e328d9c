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
    /// Makes an integer.
    package init(integerLiteral value: Int64) {
        self = .integer(value)
    }
}

extension JSONValue: ExpressibleByStringLiteral {
    /// Makes a string.
    package init(stringLiteral value: String) {
        self = .string(value)
    }
}

extension JSONValue: ExpressibleByArrayLiteral {
    /// Makes an array.
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
