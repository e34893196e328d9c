package import Configuration
package import Core
package import Observability

/// The parts of the configuration in force that all help desks use: an immutable snapshot, which a reload replaces.
package final class HelpDeskState: Sendable {
    /// Verifies security keys.
    package let authorizer: Authorizer
    /// Which notifiers receive an app's events.
    package let subscriptions: AppSubscriptions
    /// Notes when keys are used.
    package let keyUses: KeyUses
    /// The limits of registrations.
    let pushTokenLimits: [LimitRule]

    /// Takes the snapshot of a configuration.
    /// - Parameter authorizer: the authorizer of the same configuration's apps.
    package init(_ configuration: Configuration, authorizer: Authorizer, metrics: HelpDeskMetrics) {
        self.authorizer = authorizer
        keyUses = metrics.keyUses.uses(of: authorizer)
        subscriptions = AppSubscriptions(configuration)
        pushTokenLimits = configuration.pushTokens.limits
        for app in configuration.apps { metrics.pushTokens.expect(app: app.id) }
    }
}

/// The metrics of requests by help desks and their apps. Make it once per registry.
package struct HelpDeskMetrics: Sendable {
    /// Authorization requests by verdict.
    package let authorizeRequests: MetricFamily<Counter>
    /// The duration of authorization requests.
    package let authorizeDuration: Histogram
    /// Webhooks by app and result.
    package let webhookEvents: MetricFamily<Counter>
    /// When keys were last used.
    package let keyUses = KeyUseBook()
    let pushTokens: PushTokenCounters

    /// Registers the metrics.
    package init(_ registry: MetricsRegistry) {
        authorizeRequests = registry.counter(
            "deskgate_authorize_requests_total", "Authorization requests by verdict.", labels: ["app", "result", "reason", "key_id"])
        authorizeDuration = registry.histogram(
            "deskgate_authorize_duration_seconds", "Time from a whole authorization request to its verdict.")
        webhookEvents = registry.counter("deskgate_webhook_events_total", "Webhooks by result.", labels: ["app", "result"])
        pushTokens = PushTokenCounters(
            registry.counter("deskgate_push_token_requests_total", "Calls of devices by result.", labels: ["app", "result"]))
    }
}
