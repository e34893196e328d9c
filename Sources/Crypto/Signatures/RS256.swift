/// An RSA private key, which signs with RS256: RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518 section 3.3).
///
/// OpenSSL erases its copy of the key when the last value goes.
package struct RS256PrivateKey: SigningKey {
    /// The algorithm's name.
    package static var algorithm: String { "RS256" }
    private let handle: KeyHandle

    /// Reads the first private key in a PEM text (PKCS#8, as Google's service accounts have, or PKCS#1) of 2048 bits at least; the text
    /// stays the caller's to erase.
    ///
    /// Throws what is wrong with it.
    package init(pem text: Span<UInt8>) throws(KeyFlaw) {
        handle = try KeyHandle(privatePEM: text)
        try handle.requireRSA()
        try handle.requireWholePair()
    }

    /// The public key of the pair.
    package var publicKey: RS256PublicKey { RS256PublicKey(handle.publicPart()) }

    /// Signs a message: as many bytes as the key has, the same on every call. Takes about a millisecond. Throws when OpenSSL fails.
    package func sign(_ message: Span<UInt8>) throws(CryptoError) -> [UInt8] {
        try handle.sign(message)
    }
}

/// An RSA public key, which verifies RS256.
package struct RS256PublicKey: VerifyingKey {
    /// The algorithm's name.
    package static var algorithm: String { "RS256" }
    private let handle: KeyHandle

    /// Reads the first public key (SubjectPublicKeyInfo) in a PEM text; throws what is wrong with it.
    package init(pem text: Span<UInt8>) throws(KeyFlaw) {
        handle = try KeyHandle(publicPEM: text)
        try handle.requireRSA()
    }

    fileprivate init(_ handle: KeyHandle) {
        self.handle = handle
    }

    /// Whether the bytes are a signature of the message.
    package func verify(_ signature: Span<UInt8>, _ message: Span<UInt8>) -> Bool {
        handle.verify(signature, message)
    }
}
