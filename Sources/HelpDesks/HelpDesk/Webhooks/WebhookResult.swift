package import Observability

/// The result of a webhook, as in logs and metrics.
package enum WebhookResult: String, Sendable, CaseIterable {
    case accepted, duplicate, ignored, malformed, denied, unavailable
    /// An answer of the customer to a question that is not known; kept until the question comes.
    case unasked
    /// Of an earlier state than what is known.
    case stale
    /// Another answer of the customer than the first one.
    case conflict
    /// Durable, but of nobody known, so that no phone is told.
    case noCustomer = "no_customer"
    /// Durable, but of nobody, because the app's chat is anonymous, so that no phone is told.
    case anonymous
    /// Durable, and told of as soon as the help desk has said whose conversation it is.
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
