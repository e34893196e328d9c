internal import HelpDesk

/// The result of a durable webhook, if it is not `accepted`.
enum DurableWebhookResult: String, Sendable {
    /// The webhook repeats the known state.
    case duplicate
    case unasked
    /// The webhook reports a state earlier than the known one.
    case stale
    case conflict
    /// The state of a question, or its score, is unreadable.
    case malformed
    case noCustomer = "no_customer"
    /// The customer is not yet known.
    case held

    var result: WebhookResult {
        switch self {
        case .duplicate: .duplicate
        case .unasked: .unasked
        case .stale: .stale
        case .conflict: .conflict
        case .malformed: .malformed
        case .noCustomer: .noCustomer
        case .held: .held
        }
    }
}
