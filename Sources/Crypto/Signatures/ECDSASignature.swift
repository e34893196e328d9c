internal import COpenSSL

/// The two spellings of an ECDSA signature on P-256: DER (RFC 3279 section 2.2.3), which OpenSSL speaks, and the raw r and s of
/// 32 bytes each, which JSON Web Tokens hold (RFC 7518 section 3.4).
enum ECDSASignature {
    /// The bytes of a raw signature.
    static let rawCount = 64

    /// The raw spelling; throws for what is not DER, or has numbers longer than P-256's.
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

    /// The DER spelling; nil for anything but 64 bytes.
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
