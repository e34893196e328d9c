package import Time

/// Names a genuine security key, as revocations do, and proves nothing. It is kept with everything that was derived from the key, so that
/// this ends with the key.
package struct KeyIdentity: Sendable, Equatable {
    package let keyID: UInt32
    package let issuedAt: UnixSeconds
    /// The random bytes by which the key can be revoked alone: 16, and no secret.
    package let salt: [UInt8]

    package init(keyID: UInt32, issuedAt: UnixSeconds, salt: [UInt8]) {
        precondition(salt.count == SecurityKey.saltCount, "a salt has 16 bytes")
        (self.keyID, self.issuedAt, self.salt) = (keyID, issuedAt, salt)
    }
}

extension SecurityKey {
    /// The identity that tickets and other things derived from the key carry.
    package var identity: KeyIdentity { KeyIdentity(keyID: keyID, issuedAt: issuedAt, salt: salt) }
}
