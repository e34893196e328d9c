package import Time

/// Decides when operators are notified that a notifier is paused, and when that it has recovered.
///
/// A pause is reported when it has lasted for `pausedSeconds` without interruption. Its end is reported when the notifier has worked five
/// times as long without a pause. So an unstable notifier is reported at most ten times an hour, and deliveries that succeed between short
/// pauses are not reported.
///
/// Only an attempt shows that a notifier works: after a restart or a reload nothing is paused until the first attempt has failed again.
package struct NotifierPauseReporter: Sendable {
    package struct Observation: Sendable, Equatable {
        /// Whether only probes start: the breaker is not closed, or the notifier is paused.
        package let isStopped: Bool
        /// Successes since this process began.
        package let successes: UInt64
        /// Pending deliveries.
        package let waiting: Int

        package init(isStopped: Bool, successes: UInt64, waiting: Int) {
            self.isStopped = isStopped
            self.successes = successes
            self.waiting = waiting
        }
    }

    /// The multiple of `pausedSeconds` for which a notifier must work.
    static let recoveryFactor: UInt64 = 5
    /// The time without pending deliveries after which a pause that no attempt confirms counts as ended.
    static let idleMilliseconds: UInt64 = 600_000

    private var stoppedSince: MonotonicMilliseconds?
    private var worksSince: MonotonicMilliseconds?
    private var idleSince: MonotonicMilliseconds?
    /// Successes until the end of the last pause; they do not prove a recovery.
    private var successesBefore: UInt64 = 0

    package init() {}

    package mutating func status(
        _ observation: Observation, now: MonotonicMilliseconds, _ thresholds: OperatorThresholds
    ) -> ConditionStatus {
        let lasting = UInt64(thresholds.pausedSeconds) * 1000
        if observation.isStopped {
            let since = stoppedSince ?? now
            (stoppedSince, worksSince, idleSince, successesBefore) = (since, nil, nil, observation.successes)
            return now - since >= lasting ? .holds : .unknown
        }
        stoppedSince = nil
        // The notifier has left the configuration and come back, and its successes count from 0 again.
        if observation.successes < successesBefore { successesBefore = 0 }
        if observation.successes != successesBefore {
            let since = worksSince ?? now
            worksSince = since
            return now - since >= lasting * Self.recoveryFactor ? .over(.resolved) : .unknown
        }
        guard observation.waiting == 0 else {
            idleSince = nil
            return .unknown
        }
        let since = idleSince ?? now
        idleSince = since
        return now - since >= Self.idleMilliseconds ? .over(.idle) : .unknown
    }
}
