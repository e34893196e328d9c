package import Time

package struct IncomingEvent: Sendable {
    package private(set) var event: Event
    package let subscriptions: [Subscription]
    /// The push token of the event. The registry stores it unless the device's app has registered another token or has signed out.
    package let token: PushToken?
    /// Whether the person and the device are erased from the event when no delivery is pending, because the event is about a forgotten
    /// person. Its dead deliveries cannot be retried.
    package let isErased: Bool

    package init(_ event: Event, to subscriptions: [Subscription], token: PushToken? = nil, isErased: Bool = false) {
        self.event = event
        self.subscriptions = subscriptions
        self.token = token
        self.isErased = isErased
    }
}

package struct Subscription: Sendable, Equatable {
    /// The notifier's name in the configuration.
    package let notifier: String
    package let deviceTypes: DeviceTypes
    /// Whether a comment is delivered to this notifier only if the person has a registered device that it serves.
    package let requiresDevice: Bool
    /// Whether deliveries with the same `Event.orderKey` are attempted one after the other, in the order of acceptance.
    package let keepsOrder: Bool
    /// Whether an event other than a comment has one delivery for each registered device of the person that the notifier serves. Without
    /// such a device, the event has no delivery.
    package let isForEachDevice: Bool

    package init(
        notifier: String, deviceTypes: DeviceTypes = .all, requiresDevice: Bool = false, keepsOrder: Bool = false,
        isForEachDevice: Bool = false
    ) {
        self.isForEachDevice = isForEachDevice
        self.notifier = notifier
        self.deviceTypes = deviceTypes
        self.requiresDevice = requiresDevice
        self.keepsOrder = keepsOrder
    }
}

/// The period in which a repeated comment is deduplicated. The help desk sends a webhook up to three times, and again if the response was
/// lost. An attacker who has captured a signed webhook may send it at any time, so the period is much longer.
package enum Deduplication {
    /// The period from the comment's arrival: 90 days.
    package static let milliseconds: UInt64 = 90 * 86_400_000

    /// Returns the earliest arrival time of comments that must be deduplicated.
    package static func earliestArrival(now: UnixMilliseconds) -> UnixMilliseconds { now.saturating(subtracting: milliseconds) }
}

extension IncomingEvent: Timestamped {
    package mutating func convertTimes(_ convert: (UnixMilliseconds) -> UnixMilliseconds) {
        event.convertTimes(convert)
    }
}
