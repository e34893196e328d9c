/// Decides whether a push provider's "wrong app" rejection is due to the device's token or to the notifier's settings. The provider gives
/// the same reason for both.
///
/// A delivery proves that the settings are right. The settings are wrong when the provider rejects devices of `count` different users in a
/// row although it has accepted a push for each of these tokens before. A token that was never accepted is no evidence, because any
/// registered user can send any token. This type is a value: the caller locks, and uses one detector for each notifier.
package struct CredentialMismatchDetector: Sendable, Equatable {
    package enum Finding: Sendable, Equatable {
        /// The token belongs to another app.
        case token
        /// The cause is not known yet: keep the token and retry the delivery.
        case unclear
        /// The settings are wrong; the tokens are valid.
        case settings
    }

    /// The maximum number of stored tokens; a further token needs one more rejection.
    package static let limit = 10_000

    /// The number of users whose devices must be rejected to raise the alarm.
    package let count: Int
    /// Whether the settings are wrong. Only a delivery resets it.
    package private(set) var isRaised = false

    private var hasDelivered = false
    /// Users rejected since the last delivery whose tokens were accepted before. The device id of these keys is empty.
    private var people: Set<Device.Key> = []
    /// Digests of the tokens rejected since the last delivery.
    private var unclear: Set<[UInt8]> = []
    /// Digests of the tokens rejected before the last delivery; the next rejection is the token's fault.
    private var refusedBeforeDelivery: Set<[UInt8]> = []

    package init(count: Int = 10) {
        precondition(count >= 2, "one rejection is no evidence about the settings")
        self.count = count
    }

    package mutating func delivered() {
        hasDelivered = true
        isRaised = false
        people = []
        if refusedBeforeDelivery.count + unclear.count > Self.limit { refusedBeforeDelivery = [] }
        refusedBeforeDelivery.formUnion(unclear)
        unclear = []
    }

    /// Records that the provider rejected a device as another app's.
    /// - Parameter wasTaken: whether the provider has accepted a push for this token before.
    package mutating func refused(_ device: Device, wasTaken: Bool) -> Finding {
        if isRaised { return .settings }
        if refusedBeforeDelivery.remove(device.token.digest) != nil || (!wasTaken && hasDelivered && people.isEmpty) { return .token }
        if unclear.count < Self.limit { unclear.insert(device.token.digest) }
        guard wasTaken else { return .unclear }
        people.insert(Device.Key(appID: device.key.appID, userID: device.key.userID, deviceID: ""))
        isRaised = people.count >= count
        return isRaised ? .settings : .unclear
    }
}
