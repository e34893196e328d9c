/// The state of a breaker, as operators see it.
package enum BreakerState: Sendable, Equatable {
    /// Why a notifier is paused.
    package enum PauseReason: Sendable, Equatable {
        /// The provider refuses our credentials or settings, so that no attempt can succeed.
        case misconfigured
        /// The destination has answered 410: it wants nothing more.
        case switchedOff
    }

    /// Every attempt may start.
    case closed
    /// No attempt may start for a while.
    case open
    /// One probe decides whether it closes.
    case halfOpen
    /// No attempt but a probe may start until an operator has changed something.
    case paused(PauseReason)
}
