internal import JSON

/// The body of an answer of APNs that is no success: `{"reason":"Unregistered","timestamp":1700000000000}`.
struct APNsRefusal: Equatable {
    /// Why; nil when nothing known was said.
    let reason: APNsReason?
    /// Since when the token is not valid any more, in Unix milliseconds; only with 410.
    let timestamp: UInt64?

    /// Reads what can be read; what is not JSON says nothing.
    init(body: [UInt8]) {
        let root = JSONValue(parsing: body)
        reason = root?["reason"]?.text.flatMap { APNsReason(rawValue: $0) }
        timestamp = root?["timestamp"]?.integer.flatMap { $0 > 0 ? UInt64($0) : nil }
    }
}
