internal import Threading
package import Time

/// The devices that providers know, by push token. Every provider accepts an unknown token.
package final class DeviceRegistry: Sendable {
    private let devices = Monitor<[String: SimulatedDevice]>([:])

    package init() {}

    package subscript(token: String) -> SimulatedDevice? {
        get { devices.withLock { $0[token] } }
        set { devices.withLock { $0[token] = newValue } }
    }

    /// Returns the reason why a provider refuses a push to a token; nil when it accepts the push.
    func refusal(of token: String, by provider: SimulatedProvider) -> SimulatedDevice.Refusal? {
        guard let device = self[token] else { return nil }
        if let only = device.provider, only != provider { return .invalid }
        return device.refusal
    }
}

package struct SimulatedDevice: Sendable, Equatable {
    package enum Refusal: String, Sendable, CaseIterable {
        /// The app was removed: APNs `Unregistered`, FCM `UNREGISTERED`, HMS 80300007.
        case unregistered
        /// The token belongs to another app or project: APNs `DeviceTokenNotForTopic`, FCM `SENDER_ID_MISMATCH`, HMS 80300007.
        case mismatch
        /// The token is not a token of this provider: APNs `BadDeviceToken`, FCM's sentence about the token, HMS 80300007.
        case invalid
    }

    /// The only provider that accepts it (APNs' two environments are two providers); nil if all do.
    package var provider: SimulatedProvider?
    /// APNs: the only topic that accepts it; nil if all do.
    package var topic: String?
    /// Nil when pushes are accepted.
    package var refusal: Refusal?
    /// APNs: the time at which it was unregistered; nil for the time of the request.
    package var unregisteredAt: UnixMilliseconds?

    package init(
        provider: SimulatedProvider? = nil, topic: String? = nil, refusal: Refusal? = nil, unregisteredAt: UnixMilliseconds? = nil
    ) {
        self.provider = provider
        self.topic = topic
        self.refusal = refusal
        self.unregisteredAt = unregisteredAt
    }
}
