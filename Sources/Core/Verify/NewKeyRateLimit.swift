package import Time

/// Limits calls of an app's backend about new keys while it answers them with failures. A key is new until the backend has allowed it.
///
/// In mode `backend` anyone can cause a call about a new key, with any text for the key. If its failure counted for the breaker, a few junk
/// keys a second would keep all users out of an app whose backend answers junk with 429 or 5xx. So these failures only slow down further
/// calls of their kind: after `failuresToLimit` consecutive ones, one call starts every `intervalMilliseconds`, until a call succeeds. A
/// user with a new key then gets through between junk keys, and a backend that is down is called ten times a second.
///
/// A value; the caller locks. All moments are of one clock.
package struct NewKeyRateLimit: Sendable, Equatable {
    /// After how many failures in a row calls are paced.
    package static let failuresToLimit = 5
    /// The time from one start to the next while calls are paced.
    package static let intervalMilliseconds: UInt64 = 100
    /// For how long after a failure operators see that calls were paced. A success ends the pace at once, and beside a flood of junk keys
    /// it begins again at once, so the pace itself would flicker.
    package static let shownMilliseconds: UInt64 = 60_000

    private var failures = 0
    private var lastStart: MonotonicMilliseconds?
    private var lastLimited: MonotonicMilliseconds?

    package init() {}

    package func permits(now: MonotonicMilliseconds) -> Bool {
        guard failures >= Self.failuresToLimit, let lastStart else { return true }
        return lastStart.saturating(adding: Self.intervalMilliseconds) <= now
    }

    /// Whether calls were paced within the last minute.
    package func isShown(now: MonotonicMilliseconds) -> Bool {
        lastLimited.map { now < $0.saturating(adding: Self.shownMilliseconds) } ?? false
    }

    package mutating func started(now: MonotonicMilliseconds) {
        lastStart = now
    }

    /// Ends a call that the backend has answered.
    package mutating func succeeded() {
        failures = 0
    }

    /// Ends a call that has failed.
    /// - Returns: whether calls are paced from now on and were not within the last minute.
    package mutating func failed(now: MonotonicMilliseconds) -> Bool {
        failures += 1
        guard failures >= Self.failuresToLimit else { return false }
        let wasShown = isShown(now: now)
        lastLimited = now
        return !wasShown
    }
}
