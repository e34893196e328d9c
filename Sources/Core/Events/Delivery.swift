package import Time

/// The delivery of one event to one notifier, from acceptance to its end.
package struct Delivery: Sendable, Equatable {
    package enum State: String, Sendable, CaseIterable {
        case pending
        case delivered
        /// The delivery was given up for the reason in `reason`.
        case dead
        /// The person has no registered device that the notifier serves. This is not an error, because users sign out, and web chats have
        /// no device.
        case noTarget = "no_target"

        /// Whether the event's data must be kept: the delivery is pending, or an operator may retry it.
        package var needsData: Bool { self == .pending || self == .dead }
    }

    /// The reason of a delivery that wrote a line to the log. The delivery is stored as delivered, but shown and counted as `logged`,
    /// because no user was notified.
    package static let loggedReason = "logged"

    /// The reason of a delivery that requested the removal of notifications on a device. The delivery is stored as delivered, but shown and
    /// counted as `withdrawn`.
    package static let withdrawnReason = "withdrawn"

    /// The reasons of accepted deliveries that notified no user. They are shown and counted in place of the outcome.
    package static let silentReasons = [loggedReason, withdrawnReason]

    package var isLogged: Bool { state == .delivered && reason.utf8.elementsEqual(Self.loggedReason.utf8) }

    /// Whether the delivery ended because the person had read the comment.
    package var isSuperseded: Bool { state == .delivered && reason.utf8.elementsEqual(DeliveryEnding.supersededByRead.reason.utf8) }

    /// The id, which is the same in every attempt, so that receivers can deduplicate (see `UUIDv7.delivery`).
    package let id: UUIDv7
    /// The notifier's name in the configuration.
    package let notifier: String
    package private(set) var event: Event
    /// For a comment, the target device; nil for no particular device. For a registry event, the device in the event.
    package let deviceID: String?
    /// The current record of the device; nil when the device is not registered or was signed out. Its times are not converted, because a
    /// provider's time is compared with them, and the outcome returns the device to the store.
    package let device: Device?
    package let state: State
    /// The number of attempts that have begun.
    package let attempts: Int
    /// The start of the next attempt; during an attempt, the end of its lease.
    package private(set) var dueAt: UnixMilliseconds
    /// The time of the end; nil while the delivery is pending.
    package private(set) var endedAt: UnixMilliseconds?
    /// The reason for `state`, a stable identifier such as `timeout`; empty before the first attempt.
    package let reason: String
    /// The span of the current attempt, which is sent with its requests; nil outside of an attempt, or if the event has no trace.
    package private(set) var attempt: TraceContext?

    /// Returns the delivery with the span of an attempt.
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

package struct DeliveryAttempt: Sendable, Equatable {
    /// The number of the attempt, from 1.
    package let number: Int
    package private(set) var startedAt: UnixMilliseconds
    /// The time of the end; nil if the outcome is unknown.
    package private(set) var endedAt: UnixMilliseconds?
    /// The outcome: `delivered`, `retry`, `dead`; `expired` or `attempts_spent` if a retry might have succeeded but is not made;
    /// `interrupted` if the process ended first; empty if unknown.
    package let outcome: String
    /// A stable identifier such as `status_503`, `timeout` or `connection_reset`.
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
    package mutating func convertTimes(_ convert: (UnixMilliseconds) -> UnixMilliseconds) {
        event.convertTimes(convert)
        dueAt.convertTimes(convert)
        endedAt.convertTimes(convert)
    }
}

extension DeliveryAttempt: Timestamped {
    package mutating func convertTimes(_ convert: (UnixMilliseconds) -> UnixMilliseconds) {
        startedAt.convertTimes(convert)
        endedAt.convertTimes(convert)
    }
}
