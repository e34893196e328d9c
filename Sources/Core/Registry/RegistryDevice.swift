internal import Bytes
package import Time

/// A device in the registry: registered, or a tombstone. A tombstone has no token and prevents old webhooks from restoring the device.
package struct RegistryDevice: Sendable, Equatable {
    package let key: Device.Key
    package var type: String
    /// Nil for a tombstone.
    package var token: PushToken?
    /// The digest of the last token; nil when the device never had one.
    package var digest: [UInt8]?
    package var environment: String?
    /// The time since which the device has its last token and type.
    package var registeredAt: UnixMilliseconds
    package var seenAt: UnixMilliseconds
    /// Whether the app itself reported the last state; webhooks do not change such a device.
    package var isReportedByApp: Bool
    /// Claims of the key of the last registration.
    package var claims: KeyClaims

    package init(
        key: Device.Key, type: String, token: PushToken?, digest: [UInt8]?, environment: String? = nil, registeredAt: UnixMilliseconds,
        seenAt: UnixMilliseconds, isReportedByApp: Bool, claims: KeyClaims
    ) {
        self.key = key
        self.type = type
        self.token = token
        self.digest = digest
        self.environment = environment
        self.registeredAt = registeredAt
        self.seenAt = seenAt
        self.isReportedByApp = isReportedByApp
        self.claims = claims
    }

    /// Creates the device of a new registration, or of a new token or type; without a token it is a tombstone.
    init(_ registration: Registration) {
        self.init(
            key: registration.key, type: registration.type, token: registration.token, digest: registration.token?.digest,
            registeredAt: registration.now, seenAt: registration.now, isReportedByApp: true, claims: registration.claims)
    }

    /// Creates a device that a webhook reports for the first time, or with a new token.
    init(_ key: Device.Key, type: String, learning token: PushToken, at time: UnixMilliseconds) {
        self.init(
            key: key, type: type, token: token, digest: token.digest, registeredAt: time, seenAt: time, isReportedByApp: false,
            claims: KeyClaims(issuedAt: time.seconds, nil))
    }

    /// Nil for a tombstone.
    package var device: Device? {
        token.map { token in
            Device(key: key, type: type, token: token, environment: environment, registeredAt: registeredAt, seenAt: seenAt)
        }
    }

    /// Turns the device into a tombstone.
    package mutating func signOut(at time: UnixMilliseconds, isReportedByApp: Bool) {
        (token, seenAt, self.isReportedByApp) = (nil, time, isReportedByApp)
    }

    /// Records that the app has reported the same state again, possibly with another key.
    package mutating func touch(at time: UnixMilliseconds, _ claims: KeyClaims) {
        (seenAt, isReportedByApp, self.claims) = (time, true, claims)
    }

    func isNamed(_ deviceID: String) -> Bool { key.deviceID.hasSameBytes(as: deviceID) }
}

/// The stored state of a user, read in one query.
package struct RegistryPerson: Sendable, Equatable {
    /// The allowed registrations of all of the user's devices.
    package var calls: CallTimes
    /// All devices, including tombstones, ordered by the bytes of their ids.
    package var devices: [RegistryDevice]

    package init(devices: [RegistryDevice] = [], calls: CallTimes = CallTimes()) {
        self.devices = devices
        self.calls = calls
    }
}
