package import Time

/// Identifies a genuine security key in revocations, and proves nothing. It is stored with everything derived from the key, so that this
/// ends with the key.
package struct KeyIdentity: Sendable, Equatable {
    package let keyID: UInt32
    package let issuedAt: UnixSeconds
    /// Random bytes by which one key can be revoked: 16, not secret.
    package let salt: [UInt8]

    package init(keyID: UInt32, issuedAt: UnixSeconds, salt: [UInt8]) {
        precondition(salt.count == SecurityKey.saltCount, "a salt has 16 bytes")
        (self.keyID, self.issuedAt, self.salt) = (keyID, issuedAt, salt)
    }
}

extension SecurityKey {
    package var identity: KeyIdentity { KeyIdentity(keyID: keyID, issuedAt: issuedAt, salt: salt) }
}
