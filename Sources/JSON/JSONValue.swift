/// Any JSON value, for what is not on the hot path: configuration, responses, events.
package enum JSONValue: Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// A number with a fraction or an exponent; always finite.
    case real(Double)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)
}

extension JSONValue: Equatable {
    /// Compares kind and content, strings as bytes: what Unicode calls equivalent stays different here.
    package static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.real(let left), .real(let right)): left == right
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }
}
