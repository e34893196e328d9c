package import Observability

package enum WebhookResult: String, Sendable, CaseIterable {
    case accepted, duplicate, ignored, malformed, denied, unavailable
    /// A customer's answer to an unknown question; stored until the question arrives.
    case unasked
    /// Reports a state earlier than the known one.
    case stale
    /// A customer's answer that differs from the first one.
    case conflict
    /// Durable, but without a known customer, so no device is notified.
    case noCustomer = "no_customer"
    /// Durable, but without a customer, because the app's chat is anonymous; no device is notified.
    case anonymous
    /// Durable; devices are notified once the help desk has returned the owner of the conversation.
    case held

    package static let common: [WebhookResult] = [.accepted, .duplicate, .ignored, .malformed, .denied, .unavailable]

    /// - Parameters:
    ///   - app: empty for webhooks of an unknown app, because the caller chooses the name in a webhook.
    ///   - results: the results that may occur.
    package static func counters(
        _ results: [WebhookResult], app: String, in family: MetricFamily<Counter>
    ) -> LabelledCounters<WebhookResult> {
        LabelledCounters(results) { family.child(app, $0.rawValue) }
    }
}
