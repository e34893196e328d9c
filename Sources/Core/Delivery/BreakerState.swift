/// What a breaker looks like to operators.
package enum BreakerState: Sendable, Equatable {
    /// Why a notifier is paused.
    package enum PauseReason: Sendable, Equatable {
        /// The provider refuses our credentials or settings, so that no attempt can succeed.
        case misconfigured
        /// The destination has answered 410: it wants nothing more.
        case switchedOff
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
