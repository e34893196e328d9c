/// The health of a breaker's target, a notifier or an app's backend, as reported in metrics.
package enum BreakerStatus: String, Sendable, CaseIterable {
    /// The last attempt succeeded, or none was made yet.
    case working
    /// The last attempt failed, or the receiver requested a lower rate; attempts continue.
    case failing
    /// Too many consecutive attempts failed; none starts for a while.
    case open
    /// One probe decides whether the breaker closes.
    case halfOpen = "half_open"
    /// A notifier is misconfigured, or its receiver accepts no more deliveries. The log and `deskgate status` contain the remedy.
    case paused

    package init(_ breaker: Breaker) {
        switch breaker.state {
        case .closed: self = breaker.isFailing ? .failing : .working
        case .open: self = .open
        case .halfOpen: self = .halfOpen
        case .paused: self = .paused
        }
    }

    /// Whether only probes start. A probe in progress does not change that, because it may fail.
    package var isStopped: Bool {
        switch self {
        case .working, .failing: false
        case .open, .halfOpen, .paused: true
        }
    }
}
