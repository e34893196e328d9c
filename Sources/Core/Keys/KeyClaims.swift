package import Time

/// The issue time, key id and salt of a security key, with which revocations match data derived from the key: a registered device or a
/// bot's ticket.
package struct KeyClaims: Sendable, Equatable {
    /// The claims of a device that an earlier version stored: they match the revocation of any key id and any time bound.
    package static let unknown = KeyClaims(issuedAt: 0, nil)

    /// The key's issue time. If no key is known, the time of the registration or ticket, by the clock that all processes with one store
    /// share. This clock also determines the bounds of revocations (`Store.sharedTime`).
    package let issuedAt: UnixSeconds
    /// The key; nil when only the app's backend can verify it, so that no revocation of a key or a key id matches. Also nil for a device
    /// that a webhook reported.
    package let key: KeyIdentity?

    package init(issuedAt: UnixSeconds, _ key: KeyIdentity?) { (self.issuedAt, self.key) = (issuedAt, key) }

    /// Copies the claims of a verified key.
    package init(_ key: KeyIdentity) { self.init(issuedAt: key.issuedAt, key) }

    /// Reads the columns of a store. A number or salt that this program never writes is read as no key.
    package init(issuedAt: UnixSeconds, keyID: Int64?, salt: [UInt8]?) {
        guard let salt, salt.count == SecurityKey.saltCount, let keyID = keyID.flatMap({ UInt32(exactly: $0) }) else {
            self.init(issuedAt: issuedAt, nil)
            return
        }
        self.init(KeyIdentity(keyID: keyID, issuedAt: issuedAt, salt: salt))
    }
}
