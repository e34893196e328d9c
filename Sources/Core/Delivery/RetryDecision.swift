package import Time

/// What becomes of a delivery whose attempt has failed for now.
package enum RetryDecision: Sendable, Equatable {
    /// Why a delivery is not attempted again; the text stands in logs and metrics.
    package enum Ending: String, Sendable, Equatable, CaseIterable {
        /// The next attempt would come too late.
        case expired
        /// It has had as many attempts as its policy allows.
        case attemptsSpent = "attempts_spent"
    }

    /// Attempt it again at this time, and not before.
    case retry(at: UnixMilliseconds)
    /// Give it up.
    case giveUp(Ending)
}
