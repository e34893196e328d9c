internal import COpenSSL

/// Owns an asymmetric key of OpenSSL, EVP_PKEY(3), which erases the private part when it is freed.
// Sendable, because a key is immutable after it was read, and OpenSSL locks its cached data.
@safe final class KeyHandle: @unchecked Sendable {
    let pointer: OpaquePointer

    init(owning pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe EVP_PKEY_free(pointer)
    }

    /// Reads the first private key in a PEM text: PKCS#8, PKCS#1 or SEC 1, without a passphrase. The text may have lost its line feeds
    /// (`PEMText.restored`).
    convenience init(privatePEM text: Span<UInt8>) throws(KeyProblem) {
        // A PEM key inside JSON is rejected, because it may not be the requested key.
        if Self.isObject(text) { throw .json }
        var isEncrypted: Int32 = 0
        let read = { (text: OpaquePointer) in unsafe deskgate_read_plain_private_key(text, &isEncrypted) }
        var pointer = unsafe Self.read(text, read)
        if unsafe pointer == nil, isEncrypted == 0 {
            let copy = unsafe text.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
            unsafe pointer = PEMText.reading(PEMText.restored(copy), read)
            ErrorQueue.clear()
        }
        guard let pointer = unsafe pointer else {
            throw isEncrypted == 0 ? Self.problem(of: text, without: "PRIVATE KEY-----") : .encrypted
        }
        unsafe self.init(owning: pointer)
    }

    /// Reads the first public key (SubjectPublicKeyInfo, RFC 7468 section 13) in a PEM text.
    convenience init(publicPEM text: Span<UInt8>) throws(KeyProblem) {
        let pointer = unsafe Self.read(text) { unsafe deskgate_read_public_key($0) }
        guard let pointer = unsafe pointer else { throw Self.problem(of: text, without: "-----BEGIN PUBLIC KEY-----") }
        unsafe self.init(owning: pointer)
    }

    /// Returns a new handle with only the public part.
    func publicPart() -> KeyHandle {
        var start: UnsafeMutablePointer<UInt8>?
        let count = unsafe i2d_PUBKEY(pointer, &start)
        guard count > 0, let bytes = unsafe start else { fatalError("out of memory while copying a public key") }
        defer { unsafe CRYPTO_free(bytes, nil, 0) }
        var position: UnsafePointer<UInt8>? = unsafe UnsafePointer(bytes)
        guard let copy = unsafe d2i_PUBKEY(nil, &position, Int(count)) else { fatalError("out of memory while copying a public key") }
        return unsafe KeyHandle(owning: copy)
    }

    private static func read(_ text: Span<UInt8>, _ body: (OpaquePointer) -> OpaquePointer?) -> OpaquePointer? {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        return unsafe text.withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress, let bio = unsafe BIO_new_mem_buf(start, Int32(clamping: bytes.count)) else { return nil }
            defer { unsafe BIO_free(bio) }
            return unsafe body(bio)
        }
    }

    private static func isObject(_ text: Span<UInt8>) -> Bool {
        for index in text.indices where !" \t\r\n".utf8.contains(text[index]) { return text[index] == UInt8(ascii: "{") }
        return false
    }

    private static func problem(of text: Span<UInt8>, without label: StaticString) -> KeyProblem {
        guard text.contains("-----BEGIN ") else { return .notPEM }
        return text.contains(label) ? .damaged : .noKey
    }
}

extension Span<UInt8> {
    fileprivate func contains(_ label: StaticString) -> Bool {
        let length = label.utf8CodeUnitCount
        guard count >= length else { return false }
        return (0...count - length).contains { start in
            (0..<length).allSatisfy { unsafe self[start + $0] == label.utf8Start[$0] }
        }
    }
}

/// Generates private keys for simulators and tests in the format of vendors: PKCS#8 in PEM, without a passphrase.
package enum KeyGeneration {
    /// Generates a P-256 key for ES256, as in Apple's .p8 files.
    package static func p256() throws(CryptoError) -> String {
        ErrorQueue.clear()
        return try unsafe text(of: deskgate_generate_p256())
    }

    /// Generates a 2048-bit RSA key for RS256, as in Google's service accounts. Takes about 0.1 s.
    package static func rsa2048() throws(CryptoError) -> String {
        ErrorQueue.clear()
        return try unsafe text(of: deskgate_generate_rsa(2048))
    }

    private static func text(of key: OpaquePointer?) throws(CryptoError) -> String {
        guard let key = unsafe key else { throw CryptoError(draining: .makeKey) }
        defer { unsafe EVP_PKEY_free(key) }
        guard let text = unsafe PEMText.written({ unsafe deskgate_write_private_key($0, key) }) else {
            throw CryptoError(draining: .makeKey)
        }
        return text
    }
}

extension KeyHandle {
    private static let shortestRSABits = 2048

    /// Throws unless the key is an EC key on P-256, the only kind for ES256 (RFC 7518 section 3.4).
    func requireP256() throws(KeyProblem) {
        guard unsafe EVP_PKEY_is_a(pointer, "EC") == 1 else { throw .wrongType(found: typeName, needed: "an EC key on P-256") }
        guard curveName == "prime256v1" else { throw .wrongCurve(found: curveName) }
    }

    /// Throws unless the key is an RSA key of the length that RS256 requires (RFC 7518 section 3.3).
    func requireRSA() throws(KeyProblem) {
        guard unsafe EVP_PKEY_is_a(pointer, "RSA") == 1 else { throw .wrongType(found: typeName, needed: "an RSA key") }
        let bits = unsafe Int(EVP_PKEY_get_bits(pointer))
        guard bits >= Self.shortestRSABits else { throw .tooShort(bits: bits) }
    }

    /// Throws unless the private part matches the public part. Reading does not check this, and every signature of a damaged key would be
    /// rejected.
    func requireWholePair() throws(KeyProblem) {
        let probe = InlineArray<32, UInt8>(repeating: 0x5A)
        guard let signature = try? sign(probe.span), verify(signature.span, probe.span) else { throw .damaged }
    }

    private var typeName: String {
        guard let name = unsafe EVP_PKEY_get0_type_name(pointer) else { return "unknown" }
        return unsafe String(cString: name)
    }

    private var curveName: String {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
            var length = 0
            guard let start = buffer.baseAddress, unsafe EVP_PKEY_get_group_name(pointer, start, buffer.count, &length) == 1 else {
                return "unknown"
            }
            return unsafe String(cString: start)
        }
    }
}

extension KeyHandle {
    /// Signs the SHA-256 hash of a message in OpenSSL's format: DER for EC, PKCS#1 v1.5 for RSA, EVP_DigestSign(3).
    func sign(_ message: Span<UInt8>) throws(CryptoError) -> [UInt8] {
        ErrorQueue.clear()
        guard let context = unsafe EVP_MD_CTX_new() else { throw CryptoError(draining: .sign) }
        defer { unsafe EVP_MD_CTX_free(context) }
        guard unsafe EVP_DigestSignInit(context, nil, EVP_sha256(), nil, pointer) == 1 else { throw CryptoError(draining: .sign) }
        let capacity = unsafe Int(EVP_PKEY_get_size(pointer))
        var status: Int32 = 0
        let signature = unsafe message.withUnsafeBufferPointer { message in
            unsafe [UInt8](unsafeUninitializedCapacity: capacity) { signature, count in
                var length = capacity
                unsafe status = EVP_DigestSign(context, signature.baseAddress, &length, message.baseAddress, message.count)
                count = status == 1 ? length : 0
            }
        }
        guard status == 1 else { throw CryptoError(draining: .sign) }
        return signature
    }

    /// Verifies a signature in OpenSSL's format, EVP_DigestVerify(3); false when it is malformed.
    func verify(_ signature: Span<UInt8>, _ message: Span<UInt8>) -> Bool {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        guard let context = unsafe EVP_MD_CTX_new() else { return false }
        defer { unsafe EVP_MD_CTX_free(context) }
        guard unsafe EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, pointer) == 1 else { return false }
        return unsafe message.withUnsafeBufferPointer { message in
            unsafe signature.withUnsafeBufferPointer { signature in
                unsafe EVP_DigestVerify(context, signature.baseAddress, signature.count, message.baseAddress, message.count) == 1
            }
        }
    }
}

/// The reason for rejecting the text of a key. It contains no part of the text.
package enum KeyProblem: Error, Equatable {
    /// The text contains no PEM block (RFC 7468).
    case notPEM
    /// The text is JSON, like a service account.
    case json
    /// The text is PEM, but contains no key of the required kind: for example, a certificate, or the other half of the pair.
    case noKey
    case encrypted
    /// The key cannot be read, or its parts do not match.
    case damaged
    case wrongType(found: String, needed: String)
    case wrongCurve(found: String)
    /// The key is an RSA key of fewer than 2048 bits.
    case tooShort(bits: Int)
}

extension KeyProblem: CustomStringConvertible {
    /// The end of a sentence that begins with the name of the key, with the remedy.
    package var description: String {
        switch self {
        case .notPEM: "is not PEM: give the file as it was downloaded, with its BEGIN and END lines"
        case .json: "is JSON, as service accounts are: give the file of the key itself, which begins with BEGIN PRIVATE KEY"
        case .noKey: "is PEM, but does not hold the key that is needed: a private key begins with BEGIN PRIVATE KEY"
        case .encrypted: "is protected by a passphrase; remove it with: openssl pkey -in FILE -out NEW_FILE"
        case .damaged: "is damaged; download it again or create a new key"
        case .wrongType(let found, let needed): "is a key of type \(found), but \(needed) is required"
        case .wrongCurve(let found): "is an EC key on the curve \(found), but P-256 is required"
        case .tooShort(let bits): "is an RSA key of \(bits) bits, but at least 2048 are required"
        }
    }
}
