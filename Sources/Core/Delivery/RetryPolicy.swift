package import Time

/// The schedule of retries: exponential backoff with full jitter, so that deliveries that failed together do not become due together.
package struct RetryPolicy: Sendable, Equatable {
    /// The maximum delay after the first attempt. It doubles with each further attempt.
    package let baseMilliseconds: UInt64
    /// The minimum delay, even if the receiver requests a shorter one.
    package let floorMilliseconds: UInt64
    package let ceilingMilliseconds: UInt64
    /// The maximum `Retry-After` delay that is accepted.
    package let retryAfterCeilingMilliseconds: UInt64
    /// The maximum number of attempts; nil if only the expiry limits attempts.
    package let maximumAttempts: Int?

    package init(
        baseMilliseconds: UInt64, floorMilliseconds: UInt64, ceilingMilliseconds: UInt64, retryAfterCeilingMilliseconds: UInt64,
        maximumAttempts: Int? = nil
    ) {
        precondition(
            floorMilliseconds <= min(ceilingMilliseconds, retryAfterCeilingMilliseconds), "the floor must not exceed either ceiling")
        precondition(maximumAttempts ?? 1 >= 1, "there is at least one attempt")
        self.baseMilliseconds = baseMilliseconds
        self.floorMilliseconds = floorMilliseconds
        self.ceilingMilliseconds = ceilingMilliseconds
        self.retryAfterCeilingMilliseconds = retryAfterCeilingMilliseconds
        self.maximumAttempts = maximumAttempts
    }

    /// Returns the delay after the attempt with this number, from 1. Never overflows.
    ///
    /// A requested delay (see `RetryAfter`) is clamped to the range from the floor to its ceiling. Otherwise the delay is uniformly
    /// distributed between the floor and the backoff, so that deliveries do not cluster.
    package func delayMilliseconds(
        afterAttempt attempt: Int, retryAfterMilliseconds: UInt64?, random: inout some RandomNumberGenerator
    ) -> UInt64 {
        if let retryAfterMilliseconds {
            return min(max(retryAfterMilliseconds, floorMilliseconds), retryAfterCeilingMilliseconds)
        }
        return UInt64.random(in: floorMilliseconds...longestDelayMilliseconds(afterAttempt: attempt), using: &random)
    }

    /// Decides whether and when to retry after the attempt with this number, from 1. If the next attempt would start at the expiry or
    /// later, the delivery is given up immediately, so that its end is reported early.
    package func next(
        afterAttempt attempt: Int, now: UnixMilliseconds, expiresAt: UnixMilliseconds, retryAfterMilliseconds: UInt64? = nil,
        random: inout some RandomNumberGenerator
    ) -> RetryDecision {
        if let maximumAttempts, attempt >= maximumAttempts { return .giveUp(.attemptsSpent) }
        let delay = delayMilliseconds(afterAttempt: attempt, retryAfterMilliseconds: retryAfterMilliseconds, random: &random)
        guard delay < now.remaining(until: expiresAt) else { return .giveUp(.expired) }
        return .retry(at: now + delay)
    }

    // Shifts the ceiling down before shifting the base up, so that the base cannot overflow.
    private func longestDelayMilliseconds(afterAttempt attempt: Int) -> UInt64 {
        let doublings = max(attempt, 1) - 1
        let isBelowCeiling = ceilingMilliseconds >> doublings >= baseMilliseconds
        return max(floorMilliseconds, isBelowCeiling ? baseMilliseconds << doublings : ceilingMilliseconds)
    }
}

extension RetryPolicy {
    /// The policy for deliveries that expire after about one day.
    ///
    /// A restart of the receiver takes seconds. The backoff reaches its ceiling after 7 attempts, in about 5 minutes. After that, each
    /// delivery is attempted every 5 minutes on average, about 290 times a day, and a delivery that waits during an outage arrives within
    /// 10 minutes of its end. Retry-After is limited to one hour, so that an incorrect response takes only a small part of the lifetime.
    package static let webhook = RetryPolicy(
        baseMilliseconds: 5000, floorMilliseconds: 1000, ceilingMilliseconds: 600_000, retryAfterCeilingMilliseconds: 3_600_000)

    /// The policy for push providers. FCM requires at least 10 seconds and jitter, and APNs recommends 15 minutes after its own failures.
    package static let push = RetryPolicy(
        baseMilliseconds: 20_000, floorMilliseconds: 10_000, ceilingMilliseconds: 900_000, retryAfterCeilingMilliseconds: 3_600_000)

    /// The policy for the time that a breaker stays open: at most 5 minutes, half of the maximum delay of a delivery, so that the breaker
    /// is closed when delayed deliveries become due.
    package static let breaker = RetryPolicy(
        baseMilliseconds: 10_000, floorMilliseconds: 5000, ceilingMilliseconds: 300_000, retryAfterCeilingMilliseconds: 300_000)
}

package enum RetryDecision: Sendable, Equatable {
    /// The reason for giving up. The raw value appears in logs and metrics.
    package enum Ending: String, Sendable, Equatable, CaseIterable {
        /// The next attempt would start at the expiry or later.
        case expired
        /// The policy permits no further attempt.
        case attemptsSpent = "attempts_spent"
    }

    case retry(at: UnixMilliseconds)
    case giveUp(Ending)
}
