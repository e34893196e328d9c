package import Time

package enum Acceptance: Sendable, Equatable {
    case accepted
    /// An event with the same identity was stored before, under this id.
    case duplicate(of: UUIDv7)
    /// Nothing is stored: its person was forgotten.
    case ignored
}

/// Deliveries of one notifier that expired without a last attempt.
package struct ExpiredDeliveries: Sendable, Equatable {
    package let notifier: String
    package let count: Int

    package init(notifier: String, count: Int) {
        self.notifier = notifier
        self.count = count
    }
}

package struct FinishedAttempt: Sendable, Equatable {
    package enum Next: Sendable, Equatable {
        case delivered
        case retry(at: UnixMilliseconds)
        /// It can never arrive, and is given up for the try's reason.
        case dead
        /// It might arrive later, but is given up; the ending's text becomes its reason, while the try keeps its own.
        case givenUp(RetryDecision.Ending)
    }

    package enum DeviceUpdate: Sendable, Equatable {
        /// It does not know the token any more, since a time if it said one, by its own clock: the device leaves, unless it has been seen
        /// since, or has another token than was tried.
        case gone(since: UnixMilliseconds?)
        case environment(String)
    }

    package let id: UUIDv7
    /// The number of the try, as claimed: a report on an earlier one, whose lease has ended, changes nothing but its story.
    package let attempt: Int
    package private(set) var next: Next
    /// A stable word.
    package let reason: String
    package private(set) var now: UnixMilliseconds
    /// The device as it was claimed, when there is news of it.
    package let device: Device?
    package let update: DeviceUpdate?
    /// The call that the claim has counted and that never reached its receiver, which is uncounted; nil when there is none.
    package let uncalled: RateLimitedCall?

    package init(
        id: UUIDv7, attempt: Int, next: Next, reason: String, now: UnixMilliseconds, device: Device? = nil, update: DeviceUpdate? = nil,
        uncalled: RateLimitedCall? = nil
    ) {
        self.id = id
        self.attempt = attempt
        self.next = next
        self.reason = reason
        self.now = now
        self.device = device
        self.update = update
        self.uncalled = uncalled
    }
}

/// Deliveries of one notifier that the store has ended by itself.
package struct RefusedDeliveries: Sendable, Equatable {
    package let notifier: String
    package let ending: DeliveryEnding
    package let count: Int

    package init(notifier: String, ending: DeliveryEnding, count: Int) {
        self.notifier = notifier
        self.ending = ending
        self.count = count
    }
}

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
    /// Accepted at this time or later.
    package var receivedFrom: UnixMilliseconds?
    /// Accepted before this time.
    package var receivedBefore: UnixMilliseconds?
    /// Ended at this moment or earlier, in milliseconds by the store's own clock, as `DeadCounts.endedBy`; only for dead deliveries.
    package var endedBy: Int64?

    package init() {}
}

/// A delivery with all that happened to it.
package struct DeliveryStory: Sendable, Equatable {
    package private(set) var delivery: Delivery
    /// In order.
    package private(set) var attempts: [DeliveryAttempt]

    package init(delivery: Delivery, attempts: [DeliveryAttempt]) {
        self.delivery = delivery
        self.attempts = attempts
    }
}

package struct PendingDeliveries: Sendable, Equatable {
    package let notifier: String
    package let count: Int
    /// When the one of them that expires first was accepted: the oldest, but for those that an operator has brought back
    /// with a new expiry, which come in among those that arrived at that time.
    package private(set) var oldestReceivedAt: UnixMilliseconds

    package init(notifier: String, count: Int, oldestReceivedAt: UnixMilliseconds) {
        self.notifier = notifier
        self.count = count
        self.oldestReceivedAt = oldestReceivedAt
    }
}

package struct StoreError: Error, Equatable, CustomStringConvertible {
    /// The kind, for deciding; the text is for people.
    package enum Kind: String, Sendable {
        /// The maximum number of deliveries waits.
        case queueFull = "queue_full"
        /// The disk is full, or nearly.
        case diskFull = "disk_full"
        /// The store is damaged, and an operator must act.
        case corrupt
        /// It could not be reached or written now.
        case unavailable
        /// It is not open; it is opened as soon as possible.
        case notOpen = "not_open"
        /// The way to it broke while it committed, and it could not be asked in time: the call may have taken effect. A repeated event is
        /// recognised if it did.
        case inDoubt = "in_doubt"
        /// The question took longer than a read may, and was ended.
        case tooLong = "too_long"
        case closed
    }

    package let kind: Kind
    /// The event, as a sentence without its full stop.
    package let cause: String
    /// The steps for an operator; nil when nothing particular can be said.
    package let remedy: String?
    /// Whether the remedy is only for those who want to have the store for themselves.
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
