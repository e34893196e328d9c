internal import COpenSSL

/// A private key that signs as JSON Web Signatures require (RFC 7518 section 3). Safe on any thread.
package protocol SigningKey: Sendable {
    /// The algorithm's name (RFC 7518 section 3.1).
    static var algorithm: String { get }

    func sign(_ message: Span<UInt8>) throws(CryptoError) -> [UInt8]
}

/// A public key that verifies signatures of the `SigningKey` with its algorithm. Safe on any thread.
package protocol VerifyingKey: Sendable {
    /// The algorithm's name (RFC 7518 section 3.1).
    static var algorithm: String { get }

    /// Returns false for a malformed signature.
    func verify(_ signature: Span<UInt8>, _ message: Span<UInt8>) -> Bool
}

/// A private key on P-256 for ES256: ECDSA with SHA-256 (RFC 7518 section 3.4), raw signatures of 64 bytes. Its description does not
/// contain the key. OpenSSL erases its copy of the key when the last value is released.
package struct ES256PrivateKey: SigningKey {
    package static var algorithm: String { "ES256" }
    private let handle: KeyHandle

    /// Reads the first private key in a PEM text (PKCS#8, as Apple's .p8 files are, or SEC 1). The caller must erase the text.
    package init(pem text: Span<UInt8>) throws(KeyProblem) {
        handle = try KeyHandle(privatePEM: text)
        try handle.requireP256()
        try handle.requireWholePair()
    }

    package var publicKey: ES256PublicKey { ES256PublicKey(handle.publicPart()) }

    /// Returns r and s, 32 bytes each, different on every call.
    package func sign(_ message: Span<UInt8>) throws(CryptoError) -> [UInt8] {
        let der = try handle.sign(message)
        return try ECDSASignature.raw(ofDER: der.span)
    }
}

/// A public key on P-256 for ES256.
package struct ES256PublicKey: VerifyingKey {
    package static var algorithm: String { "ES256" }
    private let handle: KeyHandle

    /// Reads the first public key (SubjectPublicKeyInfo) in a PEM text.
    package init(pem text: Span<UInt8>) throws(KeyProblem) {
        handle = try KeyHandle(publicPEM: text)
        try handle.requireP256()
    }

    fileprivate init(_ handle: KeyHandle) {
        self.handle = handle
    }

    /// - Parameter signature: the 64 bytes of r and s.
    package func verify(_ signature: Span<UInt8>, _ message: Span<UInt8>) -> Bool {
        guard let der = ECDSASignature.der(ofRaw: signature) else { return false }
        return handle.verify(der.span, message)
    }
}

/// An RSA private key for RS256: RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518 section 3.3). OpenSSL erases its copy of the key when the last
/// value is released.
package struct RS256PrivateKey: SigningKey {
    package static var algorithm: String { "RS256" }
    private let handle: KeyHandle

    /// Reads the first private key in a PEM text (PKCS#8, as in Google's service accounts, or PKCS#1) of at least 2048 bits. The caller
    /// must erase the text.
    package init(pem text: Span<UInt8>) throws(KeyProblem) {
        handle = try KeyHandle(privatePEM: text)
        try handle.requireRSA()
        try handle.requireWholePair()
    }

    package var publicKey: RS256PublicKey { RS256PublicKey(handle.publicPart()) }

    /// Returns as many bytes as the key has, the same on every call. Takes about one millisecond.
    package func sign(_ message: Span<UInt8>) throws(CryptoError) -> [UInt8] {
        try handle.sign(message)
    }
}

/// An RSA public key for RS256.
package struct RS256PublicKey: VerifyingKey {
    package static var algorithm: String { "RS256" }
    private let handle: KeyHandle

    /// Reads the first public key (SubjectPublicKeyInfo) in a PEM text.
    package init(pem text: Span<UInt8>) throws(KeyProblem) {
        handle = try KeyHandle(publicPEM: text)
        try handle.requireRSA()
    }

    fileprivate init(_ handle: KeyHandle) {
        self.handle = handle
    }

    package func verify(_ signature: Span<UInt8>, _ message: Span<UInt8>) -> Bool {
        handle.verify(signature, message)
    }
}

/// Converts between two encodings of an ECDSA signature on P-256: DER (RFC 3279 section 2.2.3), which OpenSSL uses, and raw r and s of 32
/// bytes each, which JSON Web Tokens use (RFC 7518 section 3.4).
enum ECDSASignature {
    static let rawCount = 64

    /// Throws for anything that is not DER, and for numbers longer than P-256's.
    static func raw(ofDER der: Span<UInt8>) throws(CryptoError) -> [UInt8] {
        ErrorQueue.clear()
        let signature = unsafe der.withUnsafeBufferPointer { bytes in
            var position = bytes.baseAddress
            return unsafe d2i_ECDSA_SIG(nil, &position, bytes.count)
        }
        guard let signature = unsafe signature else { throw CryptoError(draining: .sign) }
        defer { unsafe ECDSA_SIG_free(signature) }
        let half = Int32(rawCount / 2)
        var isWritten = false
        let raw = unsafe [UInt8](unsafeUninitializedCapacity: rawCount) { raw, count in
            guard let start = raw.baseAddress else { return }
            unsafe isWritten =
                BN_bn2binpad(ECDSA_SIG_get0_r(signature), start, half) == half
                && BN_bn2binpad(ECDSA_SIG_get0_s(signature), start + Int(half), half) == half
            count = isWritten ? rawCount : 0
        }
        guard isWritten else { throw CryptoError(draining: .sign) }
        return raw
    }

    /// Returns nil unless there are 64 bytes.
    static func der(ofRaw raw: Span<UInt8>) -> [UInt8]? {
        guard raw.count == rawCount, let signature = unsafe ECDSA_SIG_new() else { return nil }
        defer { unsafe ECDSA_SIG_free(signature) }
        let half = rawCount / 2
        guard let first = unsafe number(raw.extracting(..<half)) else { return nil }
        guard let second = unsafe number(raw.extracting(half...)) else {
            unsafe BN_free(first)
            return nil
        }
        // From here on the signature owns both.
        guard unsafe ECDSA_SIG_set0(signature, first, second) == 1 else { return nil }
        var start: UnsafeMutablePointer<UInt8>?
        let count = unsafe i2d_ECDSA_SIG(signature, &start)
        guard count > 0, let bytes = unsafe start else { return nil }
        defer { unsafe CRYPTO_free(bytes, nil, 0) }
        return unsafe Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
    }

    private static func number(_ bytes: Span<UInt8>) -> OpaquePointer? {
        unsafe bytes.withUnsafeBufferPointer { unsafe BN_bin2bn($0.baseAddress, Int32($0.count), nil) }
    }
}
