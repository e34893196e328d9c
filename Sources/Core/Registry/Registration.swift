internal import Bytes
package import Time

/// A device's request to be notified, or not to be notified any more; its security key has been verified.
package struct Registration: Sendable {
    package let key: Device.Key
    package let type: String
    /// nil unsubscribes the device.
    package let token: PushToken?
    package private(set) var now: UnixMilliseconds
    /// The limits; unsubscribing is exempt from them.
    package let rules: [LimitRule]
    package let claims: KeyClaims

    /// Makes a registration.
    /// - Parameter claims: by default those of a key that only the app's backend understands, where all processes have one clock.
    package init(
        key: Device.Key, type: String, token: PushToken?, now: UnixMilliseconds, rules: [LimitRule], claims: KeyClaims? = nil
    ) {
        precondition(!key.userID.isEmpty && !key.deviceID.isEmpty, "a registration names a person's device")
        self.key = key
        self.type = type
        self.token = token
        self.now = now
        self.rules = rules
        self.claims = claims ?? KeyClaims(issuedAt: now.seconds, nil)
    }

    package enum Outcome: Sendable, Equatable {
        /// The device has a new token or type.
        case registered
        /// The device was registered in the same way already.
        case unchanged
        case removed
        /// A limit was exceeded; nothing has changed.
        /// - Parameters:
        ///   - rule: the limit that holds for longest.
        ///   - until: when it is allowed again.
        case limited(rule: LimitRule, until: UnixMilliseconds)
        /// The security key has been revoked, or the person blocked or forgotten, since the key was verified; nothing has changed.
        case revoked
        /// OpenSSL failed, so the revocations could not be checked; nothing has changed.
        case undecided
    }
}

/// nil matches any device.
package struct DeviceFilter: Sendable, Equatable {
    package var appID: String
    package var userID: String?
    package var deviceID: String?

    package init(appID: String, userID: String? = nil, deviceID: String? = nil) {
        self.appID = appID
        self.userID = userID
        self.deviceID = deviceID
    }
    /// Whether a device is one of those that are meant.
    package func matches(_ key: Device.Key) -> Bool {
        func isSame(_ wanted: String?, _ text: String) -> Bool { wanted.map { $0.hasSameBytes(as: text) } ?? true }
        return isSame(appID, key.appID) && isSame(userID, key.userID) && isSame(deviceID, key.deviceID)
    }
}

extension Registration: Timestamped {
    package mutating func convertTimes(_ convert: (UnixMilliseconds) -> UnixMilliseconds) {
        now.convertTimes(convert)
    }
}

extension Registration.Outcome: Timestamped {
    package mutating func convertTimes(_ convert: (UnixMilliseconds) -> UnixMilliseconds) {
        switch self {
        case .limited(let rule, let until): self = .limited(rule: rule, until: convert(until))
        case .registered, .unchanged, .removed, .revoked, .undecided: break
        }
    }
}
