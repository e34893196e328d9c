package import Time

package enum Acceptance: Sendable, Equatable {
    case accepted
    case duplicate(of: UUIDv7)
    /// Not stored, because its user was forgotten.
    case ignored
}

/// The number of deliveries of one notifier that expired without another attempt.
package struct ExpiredDeliveries: Sendable, Equatable {
    package let notifier: String
    package let count: Int

    package init(notifier: String, count: Int) {
        self.notifier = notifier
        self.count = count
    }
}

/// The report on one claimed delivery.
package struct FinishedAttempt: Sendable, Equatable {
    package enum Next: Sendable, Equatable {
        case delivered
        case retry(at: UnixMilliseconds)
        /// Permanent failure; the attempt's reason becomes the delivery's.
        case dead
        /// Ended although a retry might succeed; the ending's text becomes the delivery's reason, and the attempt keeps its own.
        case givenUp(RetryDecision.Ending)
    }

    package enum DeviceUpdate: Sendable, Equatable {
        /// The provider no longer knows the token, since a time of the provider's clock if it reported one. The device is removed unless it
        /// was seen since, or has another token than the attempt.
        case gone(since: UnixMilliseconds?)
        /// The provider's environment that accepted the token.
        case environment(String)
    }

    package let id: UUIDv7
    /// The attempt's number from the claim. A report on an earlier attempt, whose lease has ended, is only recorded in the delivery's
    /// history.
    package let attempt: Int
    package private(set) var next: Next
    /// A stable word that gives the reason.
    package let reason: String
    /// Time of the outcome.
    package private(set) var now: UnixMilliseconds
    /// The device at the time of the claim; nil without `update`.
    package let device: Device?
    package let update: DeviceUpdate?
    /// The call that the claim has counted but that did not reach its receiver, so that it must be uncounted; nil for none.
    package let uncountedCall: RateLimitedCall?

    package init(
        id: UUIDv7, attempt: Int, next: Next, reason: String, now: UnixMilliseconds, device: Device? = nil, update: DeviceUpdate? = nil,
        uncountedCall: RateLimitedCall? = nil
    ) {
        self.id = id
        self.attempt = attempt
        self.next = next
        self.reason = reason
        self.now = now
        self.device = device
        self.update = update
        self.uncountedCall = uncountedCall
    }
}

package struct RefusedDeliveries: Sendable, Equatable {
    package let notifier: String
    package let ending: DeliveryEnding
    /// Since the store was opened.
    package let count: Int

    package init(notifier: String, ending: DeliveryEnding, count: Int) {
        self.notifier = notifier
        self.ending = ending
        self.count = count
    }
}

/// Criteria for deliveries; nil matches any.
package struct DeliveryFilter: Sendable, Equatable {
    package var id: UUIDv7?
    package var state: Delivery.State?
    package var kind: Event.Kind?
    package var appID: String?
    package var userID: String?
    package var ticketID: HelpDeskID?
    package var commentID: HelpDeskID?
    package var notifier: String?
    package var reason: String?
    /// Inclusive.
    package var receivedFrom: UnixMilliseconds?
    /// Exclusive.
    package var receivedBefore: UnixMilliseconds?
    /// The latest end, inclusive, in milliseconds of the store's own clock (`DeadCounts.endedBy`); only for dead deliveries.
    package var endedBy: Int64?

    package init() {}
}

package struct DeliveryStory: Sendable, Equatable {
    package private(set) var delivery: Delivery
    /// In chronological order.
    package private(set) var attempts: [DeliveryAttempt]

    package init(delivery: Delivery, attempts: [DeliveryAttempt]) {
        self.delivery = delivery
        self.attempts = attempts
    }
}

package struct PendingDeliveries: Sendable, Equatable {
    package let notifier: String
    package let count: Int
    /// The acceptance time of the delivery that expires first. That is the oldest delivery, unless an operator has retried deliveries with
    /// a new expiry.
    package private(set) var oldestReceivedAt: UnixMilliseconds

    package init(notifier: String, count: Int, oldestReceivedAt: UnixMilliseconds) {
        self.notifier = notifier
        self.count = count
        self.oldestReceivedAt = oldestReceivedAt
    }
}

package struct StoreError: Error, Equatable, CustomStringConvertible {
    /// The kind is for program decisions; `cause` and `remedy` are for operators.
    package enum Kind: String, Sendable {
        case queueFull = "queue_full"
        /// The disk is full or nearly full.
        case diskFull = "disk_full"
        /// The store is damaged; an operator must act.
        case corrupt
        /// Temporarily unreachable or not writable.
        case unavailable
        /// Not open; its owner opens it as soon as possible.
        case notOpen = "not_open"
        /// The connection broke during the commit and the result could not be read in time, so the call may have taken effect. If it has, a
        /// repeated event is recognized as a duplicate.
        case inDoubt = "in_doubt"
        /// The query exceeded the time limit for reads and was cancelled.
        case tooLong = "too_long"
        case closed
    }

    package let kind: Kind
    /// A sentence without its full stop.
    package let cause: String
    /// Steps for an operator; nil when there is no specific one.
    package let remedy: String?
    /// Whether the remedy is only for callers that need exclusive use of the store.
    package let isForOwner: Bool

    package init(_ kind: Kind, _ cause: String, remedy: String? = nil, isForOwner: Bool = false) {
        (self.kind, self.cause, self.remedy, self.isForOwner) = (kind, cause, remedy, isForOwner)
    }

    /// One line for operators: the cause and, after a semicolon, the remedy.
    package var description: String { remedy.map { "\(cause); \($0)" } ?? cause }
}

extension FinishedAttempt: Timestamped {
    package mutating func convertTimes(_ convert: (UnixMilliseconds) -> UnixMilliseconds) {
        next.convertTimes(convert)
        now.convertTimes(convert)
    }
}

extension FinishedAttempt.Next: Timestamped {
    package mutating func convertTimes(_ convert: (UnixMilliseconds) -> UnixMilliseconds) {
        switch self {
        case .retry(let time): self = .retry(at: convert(time))
        case .delivered, .dead, .givenUp: break
        }
    }
}

extension DeliveryFilter: Timestamped {
    package mutating func convertTimes(_ convert: (UnixMilliseconds) -> UnixMilliseconds) {
        receivedFrom.convertTimes(convert)
        receivedBefore.convertTimes(convert)
    }
}

extension DeliveryStory: Timestamped {
    package mutating func convertTimes(_ convert: (UnixMilliseconds) -> UnixMilliseconds) {
        delivery.convertTimes(convert)
        attempts.convertTimes(convert)
    }
}

extension PendingDeliveries: Timestamped {
    package mutating func convertTimes(_ convert: (UnixMilliseconds) -> UnixMilliseconds) {
        oldestReceivedAt.convertTimes(convert)
    }
}
