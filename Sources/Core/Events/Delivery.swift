package import Time

/// One event on its way to one notifier, from its acceptance to its end.
package struct Delivery: Sendable, Equatable {
    package enum State: String, Sendable, CaseIterable {
        /// It is still to be delivered, now or later.
        case pending
        case delivered
        /// It is given up; the reason says why.
        case dead
        /// There is no registered device that the notifier serves, which is no error: people sign out, and web chats have none.
        case noTarget = "no_target"

        /// Whether the event's data is kept for it: it is to be sent, or may be sent when an operator tries again.
        package var needsData: Bool { self == .pending || self == .dead }
    }

    /// The reason of a delivery that wrote a line to the log. It is stored as delivered, and shown and counted as `logged`, because it
    /// notified no person.
    package static let loggedReason = "logged"

    /// The reason of a delivery that asked a device to remove notifications. It is stored as delivered, and shown and counted as
    /// `withdrawn`, because it notified no person.
    package static let withdrawnReason = "withdrawn"

    /// The reasons of delivered deliveries that notified no person. They are shown and counted as outcomes.
    package static let silentReasons = [loggedReason, withdrawnReason]

    /// Whether it ended as a line in the log.
    package var isLogged: Bool { state == .delivered && reason.utf8.elementsEqual(Self.loggedReason.utf8) }

    /// Whether it ended because the person had read the comment.
    package var isSuperseded: Bool { state == .delivered && reason.utf8.elementsEqual(DeliveryEnding.supersededByRead.reason.utf8) }

    /// The same on every attempt, so that receivers recognise repetitions: `UUIDv7.delivery` of the event's id.
    package let id: UUIDv7
    package let notifier: String
    package private(set) var event: Event
    /// The person's device that a comment is for, nil for none in particular; the device of a registry event.
    package let deviceID: String?
    /// The device as it is registered now; nil when it is not, or has signed out. Its moments stay as they are stored: a provider's time is
    /// compared with them, and it comes back with the outcome.
    package let device: Device?
    package let state: State
    package let attempts: Int
    /// When the next try is due; while a try runs, when its lease ends.
    package private(set) var dueAt: UnixMilliseconds
    /// When it ended; nil while it is pending.
    package private(set) var endedAt: UnixMilliseconds?
    /// The cause of its state in a stable word such as `timeout`; empty before the first attempt.
    package let reason: String
    /// The span of the attempt that is under way, which its requests name; nil outside of one, and when the event has no trace.
    package private(set) var attempt: TraceContext?

    package func attempted(in span: TraceContext?) -> Delivery {
        var delivery = self
        delivery.attempt = span
        return delivery
    }

    package init(
        id: UUIDv7, notifier: String, event: Event, deviceID: String? = nil, device: Device? = nil, state: State = .pending,
        attempts: Int = 0, dueAt: UnixMilliseconds, endedAt: UnixMilliseconds? = nil, reason: String = ""
    ) {
        self.id = id
        self.notifier = notifier
        self.event = event
        self.deviceID = deviceID
        self.device = device
        self.state = state
        self.attempts = attempts
        self.dueAt = dueAt
        self.endedAt = endedAt
        self.reason = reason
    }
}

/// One try of a delivery, as it is remembered.
package struct DeliveryAttempt: Sendable, Equatable {
    package let number: Int
    package private(set) var startedAt: UnixMilliseconds
    /// When its outcome was known; nil when the process ended before.
    package private(set) var endedAt: UnixMilliseconds?
    /// `delivered`, `retry`, `dead`, or why no attempt followed although one might have arrived (`expired`, `attempts_spent`);
    /// `interrupted` when the process ended before; empty while it is unknown.
    package let outcome: String
    /// A stable word such as `status_503`, `timeout` or `connection_reset`.
    package let reason: String

    package init(number: Int, startedAt: UnixMilliseconds, endedAt: UnixMilliseconds?, outcome: String, reason: String) {
        self.number = number
        self.startedAt = startedAt
        self.endedAt = endedAt
        self.outcome = outcome
        self.reason = reason
    }
}

extension Delivery: Timestamped {
    package mutating func convertMoments(_ convert: (UnixMilliseconds) -> UnixMilliseconds) {
        event.convertMoments(convert)
        dueAt.convertMoments(convert)
        endedAt.convertMoments(convert)
    }
}

extension DeliveryAttempt: Timestamped {
    package mutating func convertMoments(_ convert: (UnixMilliseconds) -> UnixMilliseconds) {
        startedAt.convertMoments(convert)
        endedAt.convertMoments(convert)
    }
}
