internal import COpenSSL

/// Owns an asymmetric key of OpenSSL, EVP_PKEY(3), which erases the private part when it is freed.
// Sendable, because a key is never changed once it has been read, and OpenSSL locks what it caches in it.
@safe final class KeyHandle: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes the key over; it is freed here.
    init(owning pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe EVP_PKEY_free(pointer)
    }

    /// Reads the first private key in a PEM text: PKCS#8, PKCS#1 or SEC 1, without a passphrase.
    convenience init(privatePEM text: Span<UInt8>) throws(KeyFlaw) {
        var isEncrypted: Int32 = 0
        let pointer = unsafe Self.read(text) { unsafe deskgate_read_plain_private_key($0, &isEncrypted) }
        guard let pointer = unsafe pointer else {
            throw isEncrypted == 0 ? Self.flaw(of: text, without: "PRIVATE KEY-----") : .encrypted
        }
        unsafe self.init(owning: pointer)
    }

    /// Reads the first public key (SubjectPublicKeyInfo, RFC 7468 section 13) in a PEM text.
    convenience init(publicPEM text: Span<UInt8>) throws(KeyFlaw) {
        let pointer = unsafe Self.read(text) { unsafe deskgate_read_public_key($0) }
        guard let pointer = unsafe pointer else { throw Self.flaw(of: text, without: "-----BEGIN PUBLIC KEY-----") }
        unsafe self.init(owning: pointer)
    }

    /// A new key of the public part alone.
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

    private static func flaw(of text: Span<UInt8>, without label: StaticString) -> KeyFlaw {
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
