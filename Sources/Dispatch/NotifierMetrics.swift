internal import Core
internal import Observability
internal import Threading
internal import Time

enum NotifierMetrics {
    /// - Parameter inbox: read at each scrape.
    static func register(_ registry: MetricsRegistry, _ inbox: Monitor<DispatcherInbox>) {
        registry.gauge(
            "deskgate_notifier_state", "1 for the state that a notifier is in, 0 for the others.", labels: ["notifier", "state"]
        ) {
            health(inbox).flatMap { name, health in
                BreakerStatus.allCases.map { ComputedSample(name, $0.rawValue, value: $0 == health.status ? 1 : 0) }
            }
        }
        registry.gauge(
            "deskgate_notifier_paused",
            "1 for why a notifier is paused, 0 for the other reason: its credential or settings are refused, or its receiver answers 410.",
            labels: ["notifier", "reason"]
        ) {
            health(inbox).flatMap { name, health in
                BreakerState.PauseReason.allCases.map { ComputedSample(name, $0.rawValue, value: $0 == health.pauseReason ? 1 : 0) }
            }
        }
        registry.gauge(
            "deskgate_credential_expiry_timestamp_seconds", "Time at which a notifier's certificate expires, in Unix seconds.",
            labels: ["notifier"]
        ) {
            let expiries = inbox.withLock { $0.notifiers.mapValues(\.credentialExpiresAt) }.sorted { $0.key < $1.key }
            return expiries.compactMap { name, expiry in expiry.map { ComputedSample(name, value: Double($0.rawValue)) } }
        }
    }

    /// Every configured notifier, ordered by name.
    private static func health(_ inbox: Monitor<DispatcherInbox>) -> [(name: String, health: NotifierHealth)] {
        inbox.withLock { inbox in inbox.notifiers.keys.sorted().map { ($0, inbox.health(of: $0)) } }
    }
}
