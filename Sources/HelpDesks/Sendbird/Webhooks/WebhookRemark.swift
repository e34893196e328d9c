internal import HelpDesk

/// The result of a webhook that is durable, if it is not `accepted`.
enum WebhookRemark: String, Sendable {
    case duplicate
    /// An answer to a question that is not known.
    case unasked
    /// Of an earlier state than the known one.
    case stale
    /// An answer that differs from the first one.
    case conflict
    /// The state of a question, or its score, cannot be read.
    case malformed
    case noCustomer = "no_customer"
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
