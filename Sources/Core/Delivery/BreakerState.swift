/// What a breaker looks like to operators.
package enum BreakerState: Sendable, Equatable {
    /// Why a notifier is paused; the text stands in logs and metrics.
    package enum PauseReason: String, Sendable, Equatable, CaseIterable {
        /// The provider refuses our credentials or settings, so that no attempt can succeed.
        case misconfigured
        /// The destination has answered 410: it wants nothing more.
        case switchedOff = "switched_off"
    }

    /// All may start.
    case closed
    /// None may start for a while.
    case open
    /// One probe decides.
    case halfOpen
    /// None may start until someone has changed something.
    case paused(PauseReason)
}

extension BreakerState {
    /// The state as it stands in logs and metrics.
    package var name: String {
        switch self {
        case .closed: "closed"
        case .open: "open"
        case .halfOpen: "half_open"
        case .paused(let reason): reason.rawValue
        }
    }
}
