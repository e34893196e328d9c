/// What becomes of a delivery whose attempt has failed for now.
package enum RetryDecision: Sendable, Equatable {
    /// Why a delivery is not tried again; the text stands in logs and metrics.
    package enum Ending: String, Sendable, Equatable, CaseIterable {
        /// The next attempt would come too late.
        case expired
        /// It was tried as often as it may be.
        case attemptsSpent = "attempts_spent"
    }

    /// Try again at this time, in Unix milliseconds, and not before.
    case retry(atMilliseconds: UInt64)
    /// Don't try again.
    case giveUp(Ending)
}
