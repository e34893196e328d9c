internal import JSON

/// The body of an answer of APNs that is no success: `{"reason":"Unregistered","timestamp":1700000000000}`.
struct APNsRefusal: Equatable {
    /// Why; nil when nothing known was said.
    let reason: APNsReason?
    /// Since when the token is not valid any more, in Unix milliseconds; only with 410.
    let timestamp: UInt64?

    /// Reads what can be read; what is not JSON says nothing.
    init(body: [UInt8]) {
        let root = try? JSONDocument(parsing: body.span).value()
        reason = root?["reason"]?.text.flatMap { APNsReason(rawValue: $0) }
        guard case .integer(let number)? = root?["timestamp"] else {
            timestamp = nil
            return
        }
        timestamp = number > 0 ? UInt64(number) : nil
    }
}
