/// Distinguishes devices of another app from a notifier with another app's settings: the provider refuses both with the same words.
///
/// A single refusal proves nothing. The settings are right when the provider accepts a push for another person; they are wrong when it
/// refuses the devices of many different people, all of which it accepted pushes for before, and accepts none between them. Tokens that
/// were never accepted prove nothing, because any registered user can send any token. A value: the caller locks, and keeps one for each
/// notifier.
package struct CredentialMismatchDetector: Sendable, Equatable {
    package enum Finding: Sendable, Equatable {
        /// The device's token is of no use to this app.
        case token
        /// Nobody knows yet: the token is kept, and the delivery tried again.
        case unclear
        /// The settings are wrong: the tokens are good.
        case settings
    }

    /// The maximum number of remembered tokens; beyond it a token needs one refusal more.
    package static let limit = 10_000

    /// Of how many people devices must be refused to raise the alarm.
    package let count: Int
    /// Whether the settings are to blame; nothing but a delivery proves the contrary.
    package private(set) var isRaised = false

    private var hasDelivered = false
    /// People whose devices were refused since the last delivery although they were accepted before. Without a device's id.
    private var people: Set<Device.Key> = []
    /// Digests of tokens that were refused since the last delivery.
    private var unclear: Set<[UInt8]> = []
    /// Digests of tokens that were refused before a delivery.
    private var doomed: Set<[UInt8]> = []

    /// Makes an alarm; fewer than two people to raise it are a programmer's mistake and trap.
    package init(count: Int = 10) {
        precondition(count >= 2, "one refusal says nothing of the settings")
        self.count = count
    }

    /// Records a delivery: the settings are right, and earlier refusals are the tokens' fault.
    package mutating func delivered() {
        hasDelivered = true
        isRaised = false
        people = []
        if doomed.count + unclear.count > Self.limit { doomed = [] }
        doomed.formUnion(unclear)
        unclear = []
    }

    /// Takes in that a device was refused as another app's.
    /// - Parameter wasTaken: whether the provider has taken a push for this token before.
    package mutating func refused(_ device: Device, wasTaken: Bool) -> Finding {
        if isRaised { return .settings }
        if doomed.remove(device.token.digest) != nil || (!wasTaken && hasDelivered && people.isEmpty) { return .token }
        if unclear.count < Self.limit { unclear.insert(device.token.digest) }
        guard wasTaken else { return .unclear }
        people.insert(Device.Key(appID: device.key.appID, userID: device.key.userID, deviceID: ""))
        isRaised = people.count >= count
        return isRaised ? .settings : .unclear
    }
}
