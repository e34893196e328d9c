package import Time

/// Decides when to notify operators that a notifier is paused, and that it has recovered.
///
/// A pause is reported when it has lasted for `pausedSeconds` without interruption. Its end is reported when the notifier has worked
/// without a pause for five times as long. An unstable notifier is therefore reported at most ten times an hour, and short recoveries
/// between pauses are not reported.
///
/// Only an attempt shows whether a notifier works: after a restart or a reload, the notifier is not considered paused until its first
/// attempt has failed again.
package struct NotifierPauseReporter: Sendable {
    package struct Observation: Sendable, Equatable {
        /// Whether only probes are started: the breaker is not closed, or the notifier is paused.
        package let isStopped: Bool
        /// The number of successes since this process started.
        package let successes: UInt64
        /// The number of pending deliveries.
        package let waiting: Int

        package init(isStopped: Bool, successes: UInt64, waiting: Int) {
            self.isStopped = isStopped
            self.successes = successes
            self.waiting = waiting
        }
    }

    /// The multiple of `pausedSeconds` for which a notifier must work before it is reported as recovered.
    static let recoveryFactor: UInt64 = 5
    /// The time without pending deliveries after which a pause is considered ended, because no attempt can confirm it.
    static let idleMilliseconds: UInt64 = 600_000

    private var stoppedSince: MonotonicMilliseconds?
    private var worksSince: MonotonicMilliseconds?
    private var idleSince: MonotonicMilliseconds?
    /// The number of successes until the end of the last pause. These do not prove a recovery.
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
        // The notifier was removed from the configuration and added again, so its successes are counted from 0.
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
