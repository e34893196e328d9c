package import Time

/// One event for one notifier, from acceptance to its end.
package struct Delivery: Sendable, Equatable {
    package enum State: String, Sendable, CaseIterable {
        case pending
        case delivered
        /// Given up; `reason` says why.
        case dead
        /// The person has no registered device that the notifier serves. This is no error: users sign out, and web chats have no device.
        case noTarget = "no_target"

        /// Whether the event's data must stay stored: it will be sent, or may be sent when an operator retries.
        package var needsData: Bool { self == .pending || self == .dead }
    }

    /// The reason of a delivery that wrote a line to the log. It is stored as delivered, but shown and counted as `logged`, because no user
    /// was notified.
    package static let loggedReason = "logged"

    /// The reason of a delivery that requested a device to remove notifications. It is stored as delivered, but shown and counted as
    /// `withdrawn`.
    package static let withdrawnReason = "withdrawn"

    /// Reasons of accepted deliveries that notified no user. They are shown and counted as the outcome.
    package static let silentReasons = [loggedReason, withdrawnReason]

    package var isLogged: Bool { state == .delivered && reason.utf8.elementsEqual(Self.loggedReason.utf8) }

    /// Whether the delivery ended because the person had read the comment.
    package var isSuperseded: Bool { state == .delivered && reason.utf8.elementsEqual(DeliveryEnding.supersededByRead.reason.utf8) }

    /// The same for every attempt, so that receivers can deduplicate; see `UUIDv7.delivery`.
    package let id: UUIDv7
    /// The name in the configuration.
    package let notifier: String
    package private(set) var event: Event
    /// For a comment: the target device, nil for no particular one. For a registry event: the device that it reports.
    package let deviceID: String?
    /// The device as registered now; nil when it is not registered or has signed out. Its times stay as stored: a provider's time is
    /// compared with them, and the device comes back with the outcome.
    package let device: Device?
    package let state: State
    /// Attempts that have begun.
    package let attempts: Int
    /// The start of the next attempt; during an attempt, the end of its lease.
    package private(set) var dueAt: UnixMilliseconds
    /// nil: pending.
    package private(set) var endedAt: UnixMilliseconds?
    /// The reason for `state` in a stable word such as `timeout`; empty before the first attempt.
    package let reason: String
    /// The span of the attempt under way, which its requests carry; nil outside an attempt, and when the event has no trace.
    package private(set) var attempt: TraceContext?

    /// Returns the same delivery within an attempt.
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
    /// From 1.
    package let number: Int
    package private(set) var startedAt: UnixMilliseconds
    /// nil: the process ended before the outcome was known.
    package private(set) var endedAt: UnixMilliseconds?
    /// `delivered`, `retry`, `dead`; `expired` or `attempts_spent` when no retry follows although it might have succeeded; `interrupted`
    /// when the process ended first; empty while unknown.
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
