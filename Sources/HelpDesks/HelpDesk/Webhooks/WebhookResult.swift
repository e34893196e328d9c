package import Observability

/// The result of a webhook, as in logs and metrics.
package enum WebhookResult: String, Sendable, CaseIterable {
    case accepted, duplicate, ignored, malformed, denied, unavailable
    /// An answer of the customer to a question that is not known; kept until the question comes.
    case unasked
    /// Of an earlier state than the known one.
    case stale
    /// Another answer of the customer than the first one.
    case conflict
    /// Durable, but without a known customer, so that phones get no push.
    case noCustomer = "no_customer"
    /// Durable, but without a user, because the app's chat is anonymous, so that phones get no push.
    case anonymous
    /// Durable, and delivered as soon as the help desk names the conversation's customer.
    case held

    /// Results that every help desk's webhooks may have.
    package static let common: [WebhookResult] = [.accepted, .duplicate, .ignored, .malformed, .denied, .unavailable]

    /// The counters of an app's webhooks.
    /// - Parameters:
    ///   - app: empty for webhooks of no known app, because the caller chooses the name in a webhook.
    ///   - results: those that may occur.
    package static func counters(
        _ results: [WebhookResult], app: String, in family: MetricFamily<Counter>
    ) -> LabelledCounters<WebhookResult> {
        LabelledCounters(results) { family.child(app, $0.rawValue) }
    }
}
