package import Time

/// The issue time, key id and salt by which revocations find what was given for a security key: a device's registration, a bot's ticket.
package struct KeyClaims: Sendable, Equatable {
    /// When the key was issued. Where no key is known, when the thing was given, by the clock that all processes with one store share, which
    /// also sets the bounds of revocations (`Store.sharedTime`).
    package let issuedAt: UnixSeconds
    /// The key; nil where only the app's backend understands it, so that no revocation of a key or of a key id covers what it gave.
    package let key: KeyIdentity?

    /// Makes claims.
    package init(issuedAt: UnixSeconds, _ key: KeyIdentity?) { (self.issuedAt, self.key) = (issuedAt, key) }

    /// Copies the claims of a key, which must have been verified.
    package init(_ key: KeyIdentity) { self.init(issuedAt: key.issuedAt, key) }
}
