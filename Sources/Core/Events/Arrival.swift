/// An event as it comes in, with whom it goes to.
package struct Arrival: Sendable {
    /// The event.
    package let event: Event
    /// Whom it goes to.
    package let subscriptions: [Subscription]
    /// A token that came with it, which is learned: the device is notified by it, unless its app has told us of another one or has signed out.
    package let token: PushToken?

    /// Makes an arrival.
    package init(_ event: Event, to subscriptions: [Subscription], token: PushToken? = nil) {
        self.event = event
        self.subscriptions = subscriptions
        self.token = token
    }
}

/// How an app's events reach one notifier.
package struct Subscription: Sendable, Equatable {
    /// The notifier's name in the configuration.
    package let notifier: String
    /// Which devices it notifies.
    package let deviceTypes: DeviceTypes
    /// Whether a comment is only for people who have a device that can be notified.
    package let requiresDevice: Bool
    /// Whether deliveries about the same ticket, or the same person's tokens, are tried one after the other in the order of their acceptance.
    package let keepsOrder: Bool

    /// Makes a subscription.
    package init(notifier: String, deviceTypes: DeviceTypes = .all, requiresDevice: Bool = false, keepsOrder: Bool = false) {
        self.notifier = notifier
        self.deviceTypes = deviceTypes
        self.requiresDevice = requiresDevice
        self.keepsOrder = keepsOrder
    }
}
