package import Time

/// A rate limit for calls of an app's backend about new keys while these calls fail. A key is new until the backend has allowed it.
///
/// In mode `backend`, any caller can cause a call about a new key, with any text as the key. If the breaker counted its failure, a few junk
/// keys per second would lock out all users of an app whose backend responds to junk with 429 or 5xx. These failures therefore limit only
/// calls for new keys: after `failuresToLimit` consecutive failures, one call starts every `intervalMilliseconds`, until a call succeeds. A
/// user with a new key can still get a call between junk keys, and a failing backend is called ten times a second. This type is a value and
/// is not synchronized: the caller must hold a lock. All moments must come from the same clock.
package struct NewKeyRateLimit: Sendable, Equatable {
    /// The number of consecutive failures after which calls are limited.
    package static let failuresToLimit = 5
    /// The time between starts while calls are limited.
    package static let intervalMilliseconds: UInt64 = 100
    /// The time, in milliseconds after a failure, for which operators see the limit. A success ends the limit immediately, and during a
    /// flood of junk keys it begins again immediately, so the displayed state would otherwise change constantly.
    package static let shownMilliseconds: UInt64 = 60_000

    private var failures = 0
    private var lastStart: MonotonicMilliseconds?
    private var lastLimited: MonotonicMilliseconds?

    package init() {}

    package func permits(now: MonotonicMilliseconds) -> Bool {
        guard failures >= Self.failuresToLimit, let lastStart else { return true }
        return lastStart.saturating(adding: Self.intervalMilliseconds) <= now
    }

    /// Whether calls were limited within the last minute.
    package func isShown(now: MonotonicMilliseconds) -> Bool {
        lastLimited.map { now < $0.saturating(adding: Self.shownMilliseconds) } ?? false
    }

    package mutating func started(now: MonotonicMilliseconds) {
        lastStart = now
    }

    package mutating func succeeded() {
        failures = 0
    }

    /// - Returns: whether calls are now limited, and were not limited within the last minute.
    package mutating func failed(now: MonotonicMilliseconds) -> Bool {
        failures += 1
        guard failures >= Self.failuresToLimit else { return false }
        let wasShown = isShown(now: now)
        lastLimited = now
        return !wasShown
    }
}
