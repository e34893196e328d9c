internal import Core
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

/// The state of a notifier, as metrics show it.
enum NotifierState: String, Sendable, CaseIterable {
    /// The last attempt succeeded, or there was none yet.
    case working
    /// The last attempt failed, or the receiver has asked for fewer; attempts go on.
    case failing
    /// Too many attempts failed in a row: the breaker is open, and nothing starts for a while.
    case open
    /// That while is over: one attempt, the probe, decides whether the breaker closes.
    case halfOpen = "half_open"
    /// It is misconfigured, or its receiver wants nothing more; the log and `deskgate status` name the remedy.
    case paused

    /// Derives the state from a breaker.
    init(_ breaker: Breaker) {
        switch breaker.state {
        case .closed: self = breaker.isFailing ? .failing : .working
        case .open: self = .open
        case .halfOpen: self = .halfOpen
        case .paused: self = .paused
        }
    }
}
