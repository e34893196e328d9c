extension JSONElement {
    /// A copy of it and of all in it, for a tape of `JSONTape.plain`.
    var value: JSONValue {
        switch kind {
        case .null: .null
        case .bool: .bool(bool == true)
        case .integer: .integer(integer ?? 0)
        case .string: .string(string ?? "")
        case .array: .array(elements.map(\.value))
        case .object: .object(JSONObject(distinct: members))
        case .real: preconditionFailure("a tape has no real numbers")
        }
    }
}
