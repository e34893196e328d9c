package import Time

/// Decides for one notifier when operators are notified that it is paused, and that it has recovered.
///
/// A pause is reported when it has lasted for `pausedSeconds` without a break, and its end when the notifier has worked five times as long
/// without a pause. So a notifier that alternates is reported at most ten times an hour, and deliveries between short pauses are not
/// reported.
///
/// Only an attempt proves that the notifier works: after a restart or a reload nothing is paused until the first attempt has failed again.
package struct NotifierTrouble: Sendable {
    package struct Observation: Sendable, Equatable {
        /// Whether it starts no attempts but probes: its breaker is not closed, or it is paused.
        package let isStopped: Bool
        /// The number of successes since this process began.
        package let successes: UInt64
        package let waiting: Int

        package init(isStopped: Bool, successes: UInt64, waiting: Int) {
            self.isStopped = isStopped
            self.successes = successes
            self.waiting = waiting
        }
    }

    /// A notifier must work for so many times the length of its pause.
    static let calmFactor: UInt64 = 5
    /// Milliseconds with an empty queue after which a pause without other evidence counts as ended.
    static let idleMilliseconds: UInt64 = 600_000

    private var stoppedSince: MonotonicMilliseconds?
    private var worksSince: MonotonicMilliseconds?
    private var idleSince: MonotonicMilliseconds?
    /// The successes that were before the last pause, which show nothing.
    private var successesBefore: UInt64 = 0

    /// Begins with a notifier of which nothing is known.
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
            return now - since >= lasting * Self.calmFactor ? .over(.resolved) : .unknown
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
