package import Time

/// An event that has just come in, with its subscriptions.
package struct IncomingEvent: Sendable {
    package private(set) var event: Event
    package let subscriptions: [Subscription]
    /// A push token that came with it. The registry learns it, unless the device's app has registered another token or has signed out.
    package let token: PushToken?
    /// Whether the person and the device leave the event as soon as none of its deliveries is pending, because it reports an erasure. Its
    /// dead deliveries cannot be retried.
    package let isErased: Bool

    package init(_ event: Event, to subscriptions: [Subscription], token: PushToken? = nil, isErased: Bool = false) {
        self.event = event
        self.subscriptions = subscriptions
        self.token = token
        self.isErased = isErased
    }
}

package struct Subscription: Sendable, Equatable {
    package let notifier: String
    package let deviceTypes: DeviceTypes
    /// Whether a comment has no delivery to this notifier unless the person has a registered device that it serves.
    package let requiresDevice: Bool
    /// Whether deliveries with the same `Event.orderKey` are attempted one after the other, in the order of their acceptance.
    package let keepsOrder: Bool
    /// Whether an event that is no comment has a delivery for each of the person's registered devices that the notifier serves, and none
    /// otherwise.
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

/// For how long a comment is recognised that comes again.
///
/// The help desk posts a webhook up to three times, and once more when our answer was lost. Who has captured a signed webhook may send it
/// at any time, so that it is recognised for much longer.
package enum Deduplication {
    /// For how long after its arrival, in milliseconds: 90 days.
    package static let milliseconds: UInt64 = 90 * 86_400_000

    /// Since when a comment has arrived that must be recognised.
    package static func recognisedFrom(now: UnixMilliseconds) -> UnixMilliseconds { now.saturating(subtracting: milliseconds) }
}

extension IncomingEvent: Timestamped {
    package mutating func convertMoments(_ convert: (UnixMilliseconds) -> UnixMilliseconds) {
        event.convertMoments(convert)
    }
}
