/// A private key on P-256, which signs with ES256: ECDSA with SHA-256 (RFC 7518 section 3.4), raw signatures of 64 bytes.
///
/// Describes itself as a class does, without its content; OpenSSL erases its copy of the key when the last value goes.
package struct ES256PrivateKey: SigningKey {
    /// The algorithm's name.
    package static var algorithm: String { "ES256" }
    private let handle: KeyHandle

    /// Reads the first private key in a PEM text (PKCS#8, as Apple's .p8 files are, or SEC 1); the text stays the caller's to erase.
    ///
    /// Throws what is wrong with it.
    package init(pem text: Span<UInt8>) throws(KeyFlaw) {
        handle = try KeyHandle(privatePEM: text)
        try handle.requireP256()
        try handle.requireWholePair()
    }

    /// The public key of the pair.
    package var publicKey: ES256PublicKey { ES256PublicKey(handle.publicPart()) }

    /// Signs a message: r and s, 32 bytes each; another signature on every call. Throws when OpenSSL fails.
    package func sign(_ message: Span<UInt8>) throws(CryptoError) -> [UInt8] {
        let der = try handle.sign(message)
        return try ECDSASignature.raw(ofDER: der.span)
    }
}

/// A public key on P-256, which verifies ES256.
package struct ES256PublicKey: VerifyingKey {
    /// The algorithm's name.
    package static var algorithm: String { "ES256" }
    private let handle: KeyHandle

    /// Reads the first public key (SubjectPublicKeyInfo) in a PEM text; throws what is wrong with it.
    package init(pem text: Span<UInt8>) throws(KeyFlaw) {
        handle = try KeyHandle(publicPEM: text)
        try handle.requireP256()
    }

    fileprivate init(_ handle: KeyHandle) {
        self.handle = handle
    }

    /// Whether the 64 bytes of r and s are a signature of the message.
    package func verify(_ signature: Span<UInt8>, _ message: Span<UInt8>) -> Bool {
        guard let der = ECDSASignature.der(ofRaw: signature) else { return false }
        return handle.verify(der.span, message)
    }
}
