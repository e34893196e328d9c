internal import Observability
internal import Threading
internal import Time

/// The metrics of notifiers: their states, and when their credentials expire.
enum NotifierMetrics {
    /// Registers them.
    /// - Parameter inbox: asked at each rendering.
    static func register(_ registry: MetricsRegistry, _ inbox: Monitor<DispatcherInbox>) {
        registry.gauge(
            "deskgate_notifier_state", "1 for the state that a notifier is in, 0 for the others.", labels: ["notifier", "state"]
        ) {
            let (names, states) = inbox.withLock { ($0.notifiers.keys.sorted(), $0.states) }
            return names.flatMap { name in
                let current = states[name] ?? .working
                return NotifierState.allCases.map { ComputedSample(name, $0.rawValue, value: $0 == current ? 1 : 0) }
            }
        }
        registry.gauge(
            "deskgate_credential_expiry_timestamp_seconds", "When a notifier's certificate expires, in Unix seconds.", labels: ["notifier"]
        ) {
            let expiries = inbox.withLock { $0.notifiers.mapValues(\.credentialExpiresAt) }.sorted { $0.key < $1.key }
            return expiries.compactMap { name, expiry in expiry.map { ComputedSample(name, value: Double($0.rawValue)) } }
        }
    }
}
