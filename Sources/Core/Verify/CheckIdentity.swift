package import Crypto

/// A user with a key as keyed digests, so that the cache contains neither keys nor names.
package struct CheckIdentity: Sendable, Hashable {
    /// The digest of app and user.
    package let person: UInt128
    /// The digest of app, user and security key.
    package let credential: UInt128

    package init(person: UInt128, credential: UInt128) {
        self.person = person
        self.credential = credential
    }
}

/// Computes identities with a random secret of this process. Any thread may use it.
package struct IdentityDigest: Sendable {
    private let secret: HMACKey<SHA256>

    package init() throws(CryptoError) {
        let random: InlineArray<32, UInt8> = try randomBytes()
        secret = try HMACKey(secret: random.span)
    }

    package func identity(
        appID: Span<UInt8>, userID: Span<UInt8>, securityKey: Span<UInt8>
    ) throws(CryptoError) -> CheckIdentity {
        CheckIdentity(
            person: try person(appID: appID, userID: userID),
            credential: Self.half(
                try secret.code { message throws(CryptoError) in
                    try message.append("credential")
                    try message.append(counted: appID)
                    try message.append(counted: userID)
                    try message.append(securityKey)
                }))
    }

    /// Returns the digest of an app's user.
    package func person(appID: Span<UInt8>, userID: Span<UInt8>) throws(CryptoError) -> UInt128 {
        Self.half(
            try secret.code { message throws(CryptoError) in
                try message.append("person")
                try message.append(counted: appID)
                try message.append(userID)
            })
    }

    /// 128 bits suffice, because a collision cannot be found without the secret.
    private static func half(_ code: InlineArray<32, UInt8>) -> UInt128 {
        var number: UInt128 = 0
        for index in 0..<16 { number = number << 8 | UInt128(code[index]) }
        return number
    }
}
