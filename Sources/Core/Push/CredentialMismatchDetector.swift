/// Tells devices that belong to another app from a notifier that was given another app's settings: both are refused with the same words.
///
/// A refusal alone says nothing. The settings are right when the provider takes a push for somebody else; they are wrong when it refuses the
/// devices of many different people, all of which it has taken pushes for before, and takes none between them. What was never taken says nothing
/// of the settings: anybody who is registered can send any token. It is a value: the caller locks, and keeps one for each notifier.
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

    /// Takes in that something was delivered: the settings are right, and what was refused before is the tokens' fault.
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
