internal import Bytes
package import Time

/// A device as the registry keeps it: registered, or a tombstone, which has no token any more and stays so that nothing old brings it back.
package struct RegistryDevice: Sendable, Equatable {
    package let key: Device.Key
    package var type: String
    /// nil for a tombstone.
    package var token: PushToken?
    /// The digest of its last token; nil when it never had one.
    package var digest: [UInt8]?
    package var environment: String?
    /// Since when it has its last token and its type.
    package var registeredAt: UnixMilliseconds
    package var seenAt: UnixMilliseconds
    /// Whether its app itself said so, which no webhook changes.
    package var isFromApp: Bool
    package var claims: KeyClaims

    package init(
        key: Device.Key, type: String, token: PushToken?, digest: [UInt8]?, environment: String? = nil, registeredAt: UnixMilliseconds,
        seenAt: UnixMilliseconds, isFromApp: Bool, claims: KeyClaims
    ) {
        self.key = key
        self.type = type
        self.token = token
        self.digest = digest
        self.environment = environment
        self.registeredAt = registeredAt
        self.seenAt = seenAt
        self.isFromApp = isFromApp
        self.claims = claims
    }

    /// Makes a device that its app registers for the first time, or with a new token or type; without a token it is a tombstone.
    init(_ registration: Registration) {
        self.init(
            key: registration.key, type: registration.type, token: registration.token, digest: registration.token?.digest,
            registeredAt: registration.now, seenAt: registration.now, isFromApp: true, claims: registration.claims)
    }

    /// Makes a device that a webhook names for the first time, or with a new token.
    init(_ key: Device.Key, type: String, learning token: PushToken, at time: UnixMilliseconds) {
        self.init(
            key: key, type: type, token: token, digest: token.digest, registeredAt: time, seenAt: time, isFromApp: false,
            claims: KeyClaims(issuedAt: time.seconds, nil))
    }

    /// The registered device; nil for a tombstone.
    package var device: Device? {
        token.map { token in
            Device(key: key, type: type, token: token, environment: environment, registeredAt: registeredAt, seenAt: seenAt)
        }
    }

    package mutating func signOut(at time: UnixMilliseconds, isFromApp: Bool) {
        (token, seenAt, self.isFromApp) = (nil, time, isFromApp)
    }

    /// Records that its app repeated the known registration, perhaps with another key.
    package mutating func touch(at time: UnixMilliseconds, _ claims: KeyClaims) {
        (seenAt, isFromApp, self.claims) = (time, true, claims)
    }

    /// Whether this is the device of that name of its person.
    func isNamed(_ deviceID: String) -> Bool { key.deviceID.hasSameBytes(as: deviceID) }
}

/// A person's devices and state, read in one search.
package struct RegistryPerson: Sendable, Equatable {
    /// The allowed registrations of all of the person's devices.
    package var calls: CallTimes
    /// All devices, tombstones included, in the order of their names' bytes.
    package var devices: [RegistryDevice]

    /// Without arguments: an unknown person.
    package init(devices: [RegistryDevice] = [], calls: CallTimes = CallTimes()) {
        self.devices = devices
        self.calls = calls
    }
}
