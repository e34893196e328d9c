package import Time

/// A request for due deliveries of one notifier.
package struct Claim: Sendable, Equatable {
    package let notifier: String
    package private(set) var now: UnixMilliseconds
    /// The lease in milliseconds: a delivery without a report is due again after it.
    package let leaseMilliseconds: UInt64
    /// The most deliveries to lease; 0 only asks when the next one is due.
    package let limit: Int
    /// The latest due time that a backoff allows. A delivery that is due later was rescheduled before the clock was set
    /// back, and is made due now.
    package private(set) var latestDue: UnixMilliseconds
    /// Deliveries that expire at this time or before have expired: `now`, less the time withheld after a jump of the clock.
    package private(set) var expiredBy: UnixMilliseconds
    /// The limits of calls to the notifier's receiver. Deliveries beyond them are deferred, with the reason `paced`.
    package let rateLimits: [OutboundRateLimit]
    /// The changes of the notifier's pauses for other replicas; at most one of each kind.
    package private(set) var pauseUpdates: [PauseUpdate]

    /// Makes a claim.
    /// - Parameters:
    ///   - longestDelayMilliseconds: the longest time from now that a delivery may be put off for, which makes `latestDue`.
    ///   - heldMilliseconds: how much of the clock's time is held back, see `TrustedTime`.
    package init(
        notifier: String, now: UnixMilliseconds, leaseMilliseconds: UInt64, limit: Int, longestDelayMilliseconds: UInt64 = .max,
        heldMilliseconds: UInt64 = 0, rateLimits: [OutboundRateLimit] = [], pauseUpdates: [PauseUpdate] = []
    ) {
        expiredBy = now.saturating(subtracting: heldMilliseconds)
        latestDue = now.saturating(adding: longestDelayMilliseconds)
        self.notifier = notifier
        self.now = now
        self.leaseMilliseconds = leaseMilliseconds
        self.limit = limit
        self.rateLimits = rateLimits
        self.pauseUpdates = pauseUpdates
    }
}

/// An attempt that a claim has counted, and for which it has leased the delivery.
package struct ClaimedAttempt: Sendable, Hashable {
    package let id: UUIDv7
    package let attempt: Int

    package init(id: UUIDv7, attempt: Int) {
        self.id = id
        self.attempt = attempt
    }

    /// Names the attempt for which a delivery was claimed.
    package init(_ delivery: Delivery) { self.init(id: delivery.id, attempt: delivery.attempts) }
}

package struct Claimed: Sendable, Equatable {
    /// The deliveries that are leased, to be attempted now.
    package private(set) var deliveries: [Delivery]
    package let expired: Int
    /// The number that ended as `noTarget`, because the device has left.
    package let withoutTarget: Int
    /// The number that was deferred by the rate limits.
    package let putOff: Int
    /// When the notifier's next delivery is due; nil when none is pending. Deliveries that wait for an earlier one of their
    /// order key do not count.
    package private(set) var nextDue: UnixMilliseconds?
    /// The notifier's pauses that the replicas share, after the claim's own updates; nil when the store belongs to one process.
    package private(set) var pauses: [SharedPause]?

    package init(
        _ deliveries: [Delivery] = [], expired: Int = 0, withoutTarget: Int = 0, putOff: Int = 0, nextDue: UnixMilliseconds?,
        pauses: [SharedPause]? = nil
    ) {
        self.deliveries = deliveries
        self.expired = expired
        self.withoutTarget = withoutTarget
        self.putOff = putOff
        self.nextDue = nextDue
        self.pauses = pauses
    }
}

extension Claim: Timestamped {
    package mutating func convertTimes(_ convert: (UnixMilliseconds) -> UnixMilliseconds) {
        now.convertTimes(convert)
        latestDue.convertTimes(convert)
        expiredBy.convertTimes(convert)
        pauseUpdates.convertTimes(convert)
    }
}

extension Claimed: Timestamped {
    package mutating func convertTimes(_ convert: (UnixMilliseconds) -> UnixMilliseconds) {
        deliveries.convertTimes(convert)
        nextDue.convertTimes(convert)
        pauses.convertTimes(convert)
    }
}
