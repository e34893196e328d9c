package import Crypto

/// The caller and the key as keyed digests, so that no key and no name stays in memory with the answer.
package struct CheckIdentity: Sendable, Hashable {
    package let person: UInt128
    /// Of the app, the person and the security key.
    package let credential: UInt128

    package init(person: UInt128, credential: UInt128) {
        self.person = person
        self.credential = credential
    }
}

/// Makes identities under a random secret of the process. Any thread may use it.
package struct IdentityDigest: Sendable {
    private let secret: HMACKey<SHA256>

    /// Draws the secret.
    /// - Throws: when OpenSSL fails.
    package init() throws(CryptoError) {
        let random: InlineArray<32, UInt8> = try randomBytes()
        secret = try HMACKey(secret: random.span)
    }

    /// The identity of a caller.
    /// - Throws: when OpenSSL fails.
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

    /// The digest of a person of an app.
    /// - Throws: when OpenSSL fails.
    package func person(appID: Span<UInt8>, userID: Span<UInt8>) throws(CryptoError) -> UInt128 {
        Self.half(
            try secret.code { message throws(CryptoError) in
                try message.append("person")
                try message.append(counted: appID)
                try message.append(userID)
            })
    }

    /// Half of a code distinguishes people well enough: finding two with the same half requires the secret.
    private static func half(_ code: InlineArray<32, UInt8>) -> UInt128 {
        var number: UInt128 = 0
        for index in 0..<16 { number = number << 8 | UInt128(code[index]) }
        return number
    }
}
