internal import JSON

extension JSONObject {
    /// Adds a member at the end if there is a value.
    mutating func append(_ value: JSONValue?, unlessMissing key: String) {
        if let value { append(value, forKey: key) }
    }
}
