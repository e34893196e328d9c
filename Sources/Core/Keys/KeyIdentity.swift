package import Time

/// Identifies a genuine security key in revocations. It is not a proof of the key. It is stored with all data derived from the key, so that
/// revocations of the key also apply to the data.
package struct KeyIdentity: Sendable, Equatable {
    package let keyID: UInt32
    package let issuedAt: UnixSeconds
    /// 16 random bytes that identify the key for a revocation; not secret.
    package let salt: [UInt8]

    package init(keyID: UInt32, issuedAt: UnixSeconds, salt: [UInt8]) {
        precondition(salt.count == SecurityKey.saltCount, "a salt has 16 bytes")
        (self.keyID, self.issuedAt, self.salt) = (keyID, issuedAt, salt)
    }
}

extension SecurityKey {
    package var identity: KeyIdentity { KeyIdentity(keyID: keyID, issuedAt: issuedAt, salt: salt) }
}
