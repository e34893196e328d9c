internal import Bytes
package import Time

/// A request to register or unsubscribe a device, after its security key was verified.
package struct Registration: Sendable {
    package let key: Device.Key
    package let type: String
    /// Nil unsubscribes the device.
    package let token: PushToken?
    package private(set) var now: UnixMilliseconds
    /// Limits for registering; unsubscribing is exempt.
    package let rules: [LimitRule]
    /// The claims to store with the device.
    package let claims: KeyClaims

    /// - Parameter claims: the default is for a key that only the app's backend can read; it requires that all processes use the same
    ///   clock.
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
        /// The device was registered with the same token and type.
        case unchanged
        case removed
        /// A limit was exceeded and nothing has changed; `rule` is the one with the latest next allowed call, at `until`.
        case limited(rule: LimitRule, until: UnixMilliseconds)
        /// The security key was revoked, or the user blocked or forgotten, after the key was verified; nothing has changed.
        case revoked
        /// OpenSSL failed, so the revocations could not be checked; nothing has changed.
        case undecided
    }
}

/// Criteria for devices; nil matches any.
package struct DeviceFilter: Sendable, Equatable {
    package var appID: String
    package var userID: String?
    package var deviceID: String?

    package init(appID: String, userID: String? = nil, deviceID: String? = nil) {
        self.appID = appID
        self.userID = userID
        self.deviceID = deviceID
    }
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
