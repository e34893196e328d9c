/// The state of a breaker's target, a notifier or an app's backend, as metrics show it.
package enum BreakerStatus: String, Sendable, CaseIterable {
    /// The last attempt succeeded, or there was none yet.
    case working
    /// The last attempt failed, or the receiver asked for fewer; attempts continue.
    case failing
    /// Too many attempts failed in a row: the breaker is open, and nothing starts for a while.
    case open
    /// The open time is over: one attempt, the probe, decides whether the breaker closes.
    case halfOpen = "half_open"
    /// A notifier is misconfigured, or its receiver wants nothing more; the log and `deskgate status` name the remedy.
    case paused

    package init(_ breaker: Breaker) {
        switch breaker.state {
        case .closed: self = breaker.isFailing ? .failing : .working
        case .open: self = .open
        case .halfOpen: self = .halfOpen
        case .paused: self = .paused
        }
    }

    /// Whether nothing starts but probes. A probe that is under way does not end that: it may fail.
    package var isStopped: Bool {
        switch self {
        case .working, .failing: false
        case .open, .halfOpen, .paused: true
        }
    }
}
