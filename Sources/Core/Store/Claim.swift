package import Time

/// A request for due deliveries of one notifier.
package struct Claim: Sendable, Equatable {
    package let notifier: String
    package private(set) var now: UnixMilliseconds
    /// Milliseconds after which an unreported delivery is due again.
    package let leaseMilliseconds: UInt64
    /// The maximum number of deliveries to lease; 0 only queries the next due time.
    package let limit: Int
    /// The latest due time that a backoff allows. A later due time was set before the clock was set back, and becomes `now`.
    package private(set) var latestPlausibleDue: UnixMilliseconds
    /// Deliveries with this expiry or an earlier one are expired: `now`, minus the grace after a jump of the clock.
    package private(set) var expiredBy: UnixMilliseconds
    /// Rate limits of the notifier's receiver. Deliveries over a limit are postponed with the reason `paced`.
    package let rateLimits: [OutboundRateLimit]
    /// Changes of the notifier's pauses for the other processes that share the store; at most one of each kind.
    package private(set) var pauseUpdates: [PauseUpdate]

    /// - Parameters:
    ///   - longestDelayMilliseconds: the longest backoff, from which `latestPlausibleDue` is computed.
    ///   - heldMilliseconds: time held back from expiry, see `TrustedTime`.
    package init(
        notifier: String, now: UnixMilliseconds, leaseMilliseconds: UInt64, limit: Int, longestDelayMilliseconds: UInt64 = .max,
        heldMilliseconds: UInt64 = 0, rateLimits: [OutboundRateLimit] = [], pauseUpdates: [PauseUpdate] = []
    ) {
        expiredBy = now.saturating(subtracting: heldMilliseconds)
        latestPlausibleDue = now.saturating(adding: longestDelayMilliseconds)
        self.notifier = notifier
        self.now = now
        self.leaseMilliseconds = leaseMilliseconds
        self.limit = limit
        self.rateLimits = rateLimits
        self.pauseUpdates = pauseUpdates
    }
}

/// An attempt that a claim has counted, with the delivery leased to it.
package struct ClaimedAttempt: Sendable, Hashable {
    package let id: UUIDv7
    package let attempt: Int

    package init(id: UUIDv7, attempt: Int) {
        self.id = id
        self.attempt = attempt
    }

    package init(_ delivery: Delivery) { self.init(id: delivery.id, attempt: delivery.attempts) }
}

package struct Claimed: Sendable, Equatable {
    package private(set) var deliveries: [Delivery]
    /// The number of deliveries that ended because they expired.
    package let expired: Int
    /// The number of deliveries that ended as `noTarget`, because their device was removed.
    package let withoutTarget: Int
    /// The number of deliveries that a rate limit has postponed.
    package let putOff: Int
    /// Due time of the notifier's next delivery; nil when none is pending. Ignores deliveries that wait for an earlier one with the same
    /// order key.
    package private(set) var nextDue: UnixMilliseconds?
    /// The notifier's pauses in all processes that share the store, including the claim's updates; nil when no other process shares it.
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
        latestPlausibleDue.convertTimes(convert)
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
