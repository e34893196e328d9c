/// A device's wish to be notified, or not any more; its key has been verified.
package struct Registration: Sendable {
    /// Which device.
    package let key: Device.Key
    /// What kind of device it is, in the app's own words.
    package let type: String
    /// Its token; nil unsubscribes it.
    package let token: PushToken?
    /// The time in Unix milliseconds.
    package let now: UInt64
    /// The limits, which never keep anybody from unsubscribing.
    package let rules: [LimitRule]

    /// Makes a wish.
    package init(key: Device.Key, type: String, token: PushToken?, now: UInt64, rules: [LimitRule]) {
        precondition(!key.userID.isEmpty && !key.deviceID.isEmpty, "a registration names a person's device")
        self.key = key
        self.type = type
        self.token = token
        self.now = now
        self.rules = rules
    }

    /// What came of it.
    package enum Outcome: Sendable, Equatable {
        /// The device has a new token or type.
        case registered
        /// Everything was so already.
        case unchanged
        /// The device is not notified any more.
        case removed
        /// Too many came; nothing has changed.
        /// - Parameters:
        ///   - rule: the one that holds for longest.
        ///   - until: when it is allowed again, in Unix milliseconds.
        case limited(rule: LimitRule, until: UInt64)
    }
}

/// Something that changed in the registry and that other systems are told of.
package struct RegistryChange: Sendable, Equatable {
    /// What.
    package enum Kind: Sendable, Equatable {
        /// A device has a new token or type.
        case registered
        /// A token is not used any more.
        case removed(Reason)
    }

    /// Why a token left.
    package enum Reason: String, Sendable {
        /// Its app said so.
        case unsubscribed
        /// The same token came with another person or device: somebody else has signed in on that phone.
        case moved
        /// The person has more devices than may be.
        case tooManyDevices = "too_many_devices"
        /// Nobody has seen it for long.
        case idle
        /// Its provider does not know it any more.
        case gone
        /// An operator removed it.
        case operatorRemoved = "operator"
    }

    /// What.
    package let kind: Kind
    /// The device as it is, or was.
    package let device: Device
    /// When, in Unix milliseconds.
    package let at: UInt64

    /// Makes a change.
    package init(_ kind: Kind, _ device: Device, at: UInt64) {
        self.kind = kind
        self.device = device
        self.at = at
    }
}

/// Which devices; nil means any.
package struct DeviceFilter: Sendable, Equatable {
    /// Of this app.
    package var appID: String
    /// Of this person.
    package var userID: String?
    /// This one.
    package var deviceID: String?

    /// Makes a filter.
    package init(appID: String, userID: String? = nil, deviceID: String? = nil) {
        self.appID = appID
        self.userID = userID
        self.deviceID = deviceID
    }
}
