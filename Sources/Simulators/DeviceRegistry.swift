internal import Threading
package import Time

/// The devices that providers know something of, by push token; those that nobody said anything about take everything.
package final class DeviceRegistry: Sendable {
    private let devices = Monitor<[String: SimulatedDevice]>([:])

    /// Makes one that is empty.
    package init() {}

    /// What is known of a token; set it to say something else, or nil to forget it.
    package subscript(token: String) -> SimulatedDevice? {
        get { devices.withLock { $0[token] } }
        set { devices.withLock { $0[token] = newValue } }
    }

    /// Why a provider refuses a push to a token.
    func refusal(of token: String, by provider: SimulatedProvider) -> SimulatedDevice.Refusal? {
        guard let device = self[token] else { return nil }
        if let only = device.provider, only != provider { return .invalid }
        return device.refusal
    }
}

/// What a provider knows of one device.
package struct SimulatedDevice: Sendable, Equatable {
    /// Why a push to it is refused.
    package enum Refusal: String, Sendable, CaseIterable {
        /// The app was removed: APNs `Unregistered`, FCM `UNREGISTERED`, HMS 80300007.
        case unregistered
        /// It belongs to another app or project: APNs `DeviceTokenNotForTopic`, FCM `SENDER_ID_MISMATCH`, HMS 80300007.
        case mismatch
        /// It is none of this provider's: APNs `BadDeviceToken`, FCM's violation of `message.token`, HMS 80300007.
        case invalid
    }

    /// The only provider that takes it; for APNs that tells the environments apart. Nil: all.
    package var provider: SimulatedProvider?
    /// APNs: the only topic that it takes; nil: all.
    package var topic: String?
    /// Why a push is refused; nil for none.
    package var refusal: Refusal?
    /// APNs: since when it is unregistered, in milliseconds since 1970; nil says when it was asked.
    package var unregisteredAt: UnixMilliseconds?

    /// Makes one that takes everything unless something is said.
    package init(
        provider: SimulatedProvider? = nil, topic: String? = nil, refusal: Refusal? = nil, unregisteredAt: UnixMilliseconds? = nil
    ) {
        self.provider = provider
        self.topic = topic
        self.refusal = refusal
        self.unregisteredAt = unregisteredAt
    }
}
