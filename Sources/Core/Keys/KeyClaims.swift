package import Time

/// The time of issue, key id and salt by which revocations match what a security key has led to: a registered device, a bot's ticket.
package struct KeyClaims: Sendable, Equatable {
    /// The claims of a device that an earlier version stored: they match the revocation of any key id and any time bound.
    package static let unknown = KeyClaims(issuedAt: 0, nil)

    /// The key's time of issue. If no key is known, the time at which the registration or ticket was given, by the clock that all processes
    /// with one store share, which also sets the bounds of revocations (`Store.sharedTime`).
    package let issuedAt: UnixSeconds
    /// nil when only the app's backend understands the key, so that no revocation of a key or a key id matches. Also nil for a device that
    /// a webhook reported.
    package let key: KeyIdentity?

    package init(issuedAt: UnixSeconds, _ key: KeyIdentity?) { (self.issuedAt, self.key) = (issuedAt, key) }

    /// Copies the claims of a verified key.
    package init(_ key: KeyIdentity) { self.init(issuedAt: key.issuedAt, key) }

    /// Reads a store's columns. A number or a salt that this program never writes means no key.
    package init(issuedAt: UnixSeconds, keyID: Int64?, salt: [UInt8]?) {
        guard let salt, salt.count == SecurityKey.saltCount, let keyID = keyID.flatMap({ UInt32(exactly: $0) }) else {
            self.init(issuedAt: issuedAt, nil)
            return
        }
        self.init(KeyIdentity(keyID: keyID, issuedAt: issuedAt, salt: salt))
    }
}
