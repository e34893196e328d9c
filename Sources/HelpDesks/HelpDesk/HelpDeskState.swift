package import Configuration
package import Core
package import Observability
package import Threading
package import Time

/// The parts of the current configuration that all help desks use: an immutable snapshot, which a reload replaces.
package final class HelpDeskState: Sendable {
    /// Verifies security keys; does not query the apps' backends.
    package let authorizer: Authorizer
    /// Nil when no app has a backend.
    package let backends: BackendVerifiers?
    package let subscriptions: AppSubscriptions
    /// The help desks of the authorizer's applications, in the same order.
    private let helpDesks: [HelpDeskKind]
    private let keyUses: KeyUses
    private let records: AuthorizationRecords
    let pushTokenLimits: [LimitRule]

    /// - Parameters:
    ///   - authorizer: created from the same configuration.
    ///   - backends: the verifiers of the same configuration. Without them, requests of apps with a backend remain undecided.
    package init(
        _ configuration: Configuration, authorizer: Authorizer, backends: BackendVerifiers? = nil,
        recorder: AuthorizationRecorder = AuthorizationRecorder(now: { 0 }), metrics: HelpDeskMetrics
    ) {
        self.authorizer = authorizer
        self.backends = backends
        let kinds = Dictionary(configuration.apps.map { (Array($0.id.utf8), $0.helpDesk) }) { first, _ in first }
        helpDesks = authorizer.applications.map { kinds[$0.id] ?? .default }
        keyUses = metrics.keyUses.uses(of: authorizer)
        records = recorder.records(of: authorizer)
        subscriptions = AppSubscriptions(configuration)
        pushTokenLimits = configuration.pushTokens.limits
        for app in configuration.apps { metrics.pushTokens.expect(app: app.id) }
    }

    /// Decides whether a user may use the chat, for every route: like `Authorizer.authorize`, but also with cached answers of the backend.
    /// - Parameters:
    ///   - helpDesk: the help desk of the route; apps of other help desks are treated as unknown. Nil for a route of all apps.
    ///   - question: set when the backend must be queried. Then the result is provisional; `BackendVerification.ask` returns the final
    ///     verdict.
    package func authorize(
        appID: Span<UInt8>, userID: Span<UInt8>, securityKey: Span<UInt8>, of helpDesk: HelpDeskKind?, now: UnixSeconds,
        revocations: Revocations, asking question: inout BackendVerification?
    ) -> Authorizer.Authorization {
        let decision = authorizer.authorize(appID: appID, userID: userID, securityKey: securityKey, now: now, revocations: revocations)
        // A request with a malformed key still names an app. If that app belongs to another help desk, the request must not appear in its
        // record.
        if let helpDesk, let named = decision.namedApplication, helpDesks[named] != helpDesk { return decision.asUnknownApp }
        keyUses.note(decision, now: now)
        guard case .unconfirmed = decision.verdict else { return decision }
        guard let backends else { return decision.confirmed(by: .undecided(.internalError)) }
        return backends.conclude(decision, appID: appID, userID: userID, securityKey: securityKey, asking: &question)
    }

    /// Returns the user of a decision, to record the final verdict. Takes no lock and allocates nothing.
    package func recordedUser(_ decision: Authorizer.Authorization, userID: Span<UInt8>) -> RecordedUser {
        RecordedUser(records, decision: decision, authorizer: authorizer, userID: userID)
    }

    func recordedUser(of device: Device.Key) -> RecordedUser { RecordedUser(records, device: device, authorizer: authorizer) }
}

/// Metrics of requests by help desks and their apps. Create it once per registry.
package struct HelpDeskMetrics: Sendable {
    package let authorizeRequests: MetricFamily<Counter>
    package let authorizeDuration: Histogram
    package let webhookEvents: MetricFamily<Counter>
    package let webhookRefusals: MetricFamily<Counter>
    package let skippedWebhookMembers: MetricFamily<Counter>
    package let urlPreviews: MetricFamily<Counter>
    package let keyUses = KeyUsageTracker()
    /// Configured apps that resemble unknown app ids.
    package let nearestApps = NearestApps()
    /// The types of registered devices that no notifier serves.
    package let unservedDevices = Monitor(UnservedDevices())
    package let helpDeskRequests: MetricFamily<Counter>
    package let helpDeskDurations: MetricFamily<Histogram>
    package let sessionTokenRequests: MetricFamily<Counter>
    /// By app and score, 1 to 5.
    package let ticketRatings: MetricFamily<Counter>
    package let ticketRequests: MetricFamily<Counter>
    let pushTokens: PushTokenCounters
    let backends: BackendMetrics

    /// Upper bounds in seconds, for calls over the internet.
    private static let requestBounds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20]

    package init(_ registry: MetricsRegistry) {
        authorizeRequests = registry.counter(
            "deskgate_authorize_requests_total", "Authorization requests by verdict.", labels: ["app", "result", "reason", "key_id"])
        authorizeDuration = registry.histogram(
            "deskgate_authorize_duration_seconds", "Time from a complete authorization request to its verdict.")
        webhookEvents = registry.counter("deskgate_webhook_events_total", "Webhooks by result.", labels: ["app", "result"])
        webhookRefusals = registry.counter(
            "deskgate_webhook_refusals_total", "Webhooks that were denied or malformed, by reason.", labels: ["app", "reason"])
        skippedWebhookMembers = registry.counter(
            "deskgate_webhook_members_left_out_total", "Optional members of webhooks that had an unexpected form and were ignored.",
            labels: ["app", "member"])
        urlPreviews = registry.counter("deskgate_url_previews_total", "Calls for previews of URLs by result.", labels: ["app", "result"])
        pushTokens = PushTokenCounters(
            registry.counter("deskgate_push_token_requests_total", "Calls of devices by result.", labels: ["app", "result"]))
        helpDeskRequests = registry.counter(
            "deskgate_help_desk_requests_total", "Requests to a help desk's own API by outcome.", labels: ["app", "request", "outcome"])
        helpDeskDurations = registry.histogram(
            "deskgate_help_desk_request_duration_seconds", "Time of requests to a help desk's own API.", labels: ["app"],
            bounds: Self.requestBounds)
        sessionTokenRequests = registry.counter(
            "deskgate_session_token_requests_total", "Calls for session tokens by result.", labels: ["app", "result"])
        ticketRequests = registry.counter(
            "deskgate_ticket_requests_total", "Customers' calls about tickets by result.", labels: ["app", "result"])
        ticketRatings = registry.counter(
            "deskgate_ticket_ratings_total", "Ratings of tickets by score.", labels: ["app", "score"])
        backends = BackendMetrics(registry)
    }
}
