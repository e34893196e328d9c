package import Time

/// When a failed delivery is attempted again: exponential backoff with full jitter, so that deliveries that failed together are not due
/// together.
package struct RetryPolicy: Sendable, Equatable {
    /// The longest delay after the first attempt, in milliseconds; it doubles with each further one.
    package let baseMilliseconds: UInt64
    /// The shortest delay, in milliseconds, even when the receiver asks for less.
    package let floorMilliseconds: UInt64
    /// The longest backoff, in milliseconds.
    package let ceilingMilliseconds: UInt64
    /// The longest `Retry-After` that is granted, in milliseconds.
    package let retryAfterCeilingMilliseconds: UInt64
    /// After how many attempts to give up; nil when only the expiry bounds them.
    package let maximumAttempts: Int?

    /// Makes a policy; a floor above a ceiling and less than one attempt are a programmer's mistake and trap.
    package init(
        baseMilliseconds: UInt64, floorMilliseconds: UInt64, ceilingMilliseconds: UInt64, retryAfterCeilingMilliseconds: UInt64,
        maximumAttempts: Int? = nil
    ) {
        precondition(floorMilliseconds <= min(ceilingMilliseconds, retryAfterCeilingMilliseconds), "the floor is below both ceilings")
        precondition(maximumAttempts ?? 1 >= 1, "there is at least one attempt")
        self.baseMilliseconds = baseMilliseconds
        self.floorMilliseconds = floorMilliseconds
        self.ceilingMilliseconds = ceilingMilliseconds
        self.retryAfterCeilingMilliseconds = retryAfterCeilingMilliseconds
        self.maximumAttempts = maximumAttempts
    }

    /// Returns the delay after an attempt, counted from 1, in milliseconds; never overflows.
    ///
    /// A delay that the receiver requested (`RetryAfter`) is granted between the floor and its ceiling. Otherwise the delay is uniform
    /// between the floor and the exponential backoff, so that deliveries do not bunch up.
    package func delayMilliseconds(
        afterAttempt attempt: Int, retryAfterMilliseconds: UInt64?, random: inout some RandomNumberGenerator
    ) -> UInt64 {
        if let retryAfterMilliseconds {
            return min(max(retryAfterMilliseconds, floorMilliseconds), retryAfterCeilingMilliseconds)
        }
        return UInt64.random(in: floorMilliseconds...longestDelayMilliseconds(afterAttempt: attempt), using: &random)
    }

    /// Whether and when to attempt again after so many attempts, counted from 1.
    ///
    /// If the next attempt would start at the expiry or later, the delivery is given up at once, so that its end is reported early.
    package func next(
        afterAttempt attempt: Int, now: UnixMilliseconds, expiresAt: UnixMilliseconds, retryAfterMilliseconds: UInt64? = nil,
        random: inout some RandomNumberGenerator
    ) -> RetryDecision {
        if let maximumAttempts, attempt >= maximumAttempts { return .giveUp(.attemptsSpent) }
        let delay = delayMilliseconds(afterAttempt: attempt, retryAfterMilliseconds: retryAfterMilliseconds, random: &random)
        guard delay < now.remaining(until: expiresAt) else { return .giveUp(.expired) }
        return .retry(at: now + delay)
    }

    // Shifts the ceiling down before it shifts the base up: only then can't the base overflow.
    private func longestDelayMilliseconds(afterAttempt attempt: Int) -> UInt64 {
        let doublings = max(attempt, 1) - 1
        let isBelowCeiling = ceilingMilliseconds >> doublings >= baseMilliseconds
        return max(floorMilliseconds, isBelowCeiling ? baseMilliseconds << doublings : ceilingMilliseconds)
    }
}

extension RetryPolicy {
    /// For deliveries that live about a day.
    ///
    /// A restart of the other side costs seconds; the ceiling is reached after 7 attempts in some 5 minutes. From then on each delivery is
    /// tried every 5 minutes on average, some 290 times a day, and one that waits out an outage arrives within 10 minutes of its end. An
    /// hour at most is granted to Retry-After, so that no answer, however wrong, takes more than a small part of the life.
    package static let webhook = RetryPolicy(
        baseMilliseconds: 5000, floorMilliseconds: 1000, ceilingMilliseconds: 600_000, retryAfterCeilingMilliseconds: 3_600_000)

    /// For push providers: FCM asks for at least 10 seconds and for jitter, APNs for 15 minutes after its own failures. An hour at most is
    /// granted to Retry-After.
    package static let push = RetryPolicy(
        baseMilliseconds: 20_000, floorMilliseconds: 10_000, ceilingMilliseconds: 900_000, retryAfterCeilingMilliseconds: 3_600_000)

    /// The open time of a breaker: at most 5 minutes, half of the longest delay of a delivery, so that it is closed when those are due.
    package static let breaker = RetryPolicy(
        baseMilliseconds: 10_000, floorMilliseconds: 5000, ceilingMilliseconds: 300_000, retryAfterCeilingMilliseconds: 300_000)
}

/// The next state of a delivery after a failed attempt.
package enum RetryDecision: Sendable, Equatable {
    /// The reason why a delivery is not attempted again, as logs and metrics show it.
    package enum Ending: String, Sendable, Equatable, CaseIterable {
        /// The next attempt would come too late.
        case expired
        /// It has had as many attempts as its policy allows.
        case attemptsSpent = "attempts_spent"
    }

    /// Attempt it again at this time, and not before.
    case retry(at: UnixMilliseconds)
    case giveUp(Ending)
}
