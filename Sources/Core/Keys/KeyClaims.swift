package import Time

/// The issue time, key id and salt by which revocations find credentials that a security key led to: a device's registration, a bot's
/// ticket.
package struct KeyClaims: Sendable, Equatable {
    /// The claims of a device that an earlier version stored: it counts as made with any key id, before every bound.
    package static let unknown = KeyClaims(issuedAt: 0, nil)

    /// When the key was issued. Where no key is known, when the thing was given, by the clock that all processes with one store share,
    /// which also sets the bounds of revocations (`Store.sharedTime`).
    package let issuedAt: UnixSeconds
    /// The key; nil where only the app's backend understands it, so that no revocation of a key or of a key id covers what it gave. It is
    /// also nil for a device that a webhook has brought.
    package let key: KeyIdentity?

    package init(issuedAt: UnixSeconds, _ key: KeyIdentity?) { (self.issuedAt, self.key) = (issuedAt, key) }

    /// Copies the claims of a key, which must have been verified.
    package init(_ key: KeyIdentity) { self.init(issuedAt: key.issuedAt, key) }

    /// Reads a store's columns. A number or a salt that this program never writes is of no key.
    package init(issuedAt: UnixSeconds, keyID: Int64?, salt: [UInt8]?) {
        guard let salt, salt.count == SecurityKey.saltCount, let keyID = keyID.flatMap({ UInt32(exactly: $0) }) else {
            self.init(issuedAt: issuedAt, nil)
            return
        }
        self.init(KeyIdentity(keyID: keyID, issuedAt: issuedAt, salt: salt))
    }
}
