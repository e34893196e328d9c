internal import COpenSSL
internal import Glibc

/// A secret that is prepared once for any number of HMAC computations (RFC 2104). Any thread may use it.
// Sendable, because each keyed context is used by one thread at a time (see `HMACContextPool`), and the buffer is written only in `init`
// and `deinit`.
@safe package final class HMACKey<Hash: HashFunction>: @unchecked Sendable {
    private let contexts: HMACContextPool

    /// Copies the secret into OpenSSL, which erases its copy when the key is released.
    /// - Throws: when the secret is empty, because its HMAC would not prove anything, or when OpenSSL fails.
    package init(secret: Span<UInt8>) throws(CryptoError) {
        guard !secret.isEmpty else { throw CryptoError(operation: .keyHMAC, reasons: ["the secret is empty"]) }
        contexts = try HMACContextPool(secret: secret, digest: Hash.name)
    }
}

extension HMACKey where Hash == SHA256 {
    /// Computes the HMAC of the message that `build` appends. Compare the result only with `constantTimeEquals`. Allocates only if the
    /// number of concurrent threads exceeds the number of contexts.
    package func code(
        of build: (inout HMACMessage) throws(CryptoError) -> Void
    ) throws(CryptoError) -> InlineArray<32, UInt8> {
        var code = InlineArray<32, UInt8>(repeating: 0)
        var output = code.mutableSpan
        try contexts.compute(into: &output, build)
        return code
    }
}

extension HMACKey where Hash == SHA1 {
    /// Computes the HMAC of the message that `build` appends. Compare the result only with `constantTimeEquals`.
    package func code(
        of build: (inout HMACMessage) throws(CryptoError) -> Void
    ) throws(CryptoError) -> InlineArray<20, UInt8> {
        var code = InlineArray<20, UInt8>(repeating: 0)
        var output = code.mutableSpan
        try contexts.compute(into: &output, build)
        return code
    }
}

/// The message of one HMAC computation. It is passed to the closure that appends the parts. Parts are buffered, because a call of OpenSSL
/// takes longer than hashing a few bytes.
@safe package struct HMACMessage: ~Copyable {
    private static let capacity = 256

    private let context: OpaquePointer
    private var gathered = InlineArray<256, UInt8>(repeating: 0)
    private var count = 0

    /// Borrows a context that was keyed and reset; the caller owns it.
    init(of context: OpaquePointer) {
        unsafe self.context = context
    }

    package mutating func append(_ bytes: Span<UInt8>) throws(CryptoError) {
        if bytes.count > Self.capacity - count { try flush() }
        guard bytes.count <= Self.capacity else { return try update(bytes) }
        unsafe bytes.withUnsafeBytes { part in
            var buffer = gathered.mutableSpan
            unsafe buffer.withUnsafeMutableBytes { unsafe UnsafeMutableRawBufferPointer(rebasing: $0[count...]).copyMemory(from: part) }
        }
        count += bytes.count
    }

    package mutating func append(_ label: StaticString) throws(CryptoError) {
        try append(unsafe Span(_unsafeStart: label.utf8Start, count: label.utf8CodeUnitCount))
    }

    /// Appends the length in four big-endian bytes, followed by the bytes, so that (`ab`, `c`) and (`a`, `bc`) differ.
    package mutating func append(counted bytes: Span<UInt8>) throws(CryptoError) {
        let count = UInt32(truncatingIfNeeded: bytes.count)
        let length: [4 of UInt8] = [
            UInt8(truncatingIfNeeded: count >> 24), UInt8(truncatingIfNeeded: count >> 16), UInt8(truncatingIfNeeded: count >> 8),
            UInt8(truncatingIfNeeded: count),
        ]
        try append(length.span)
        try append(bytes)
    }

    /// Passes the buffered bytes to OpenSSL; required before the code is computed.
    mutating func flush() throws(CryptoError) {
        try update(gathered.span.extracting(..<count))
        count = 0
    }

    private func update(_ bytes: Span<UInt8>) throws(CryptoError) {
        let status = unsafe bytes.withUnsafeBufferPointer { unsafe EVP_MAC_update(context, $0.baseAddress, $0.count) }
        guard status == 1 else { throw CryptoError(draining: .updateHMAC) }
    }
}

/// OpenSSL's implementation of HMAC. It is fetched once per process, because EVP_MAC_fetch(3) searches all providers.
// Sendable, because a fetched EVP_MAC is immutable and has an atomic reference count.
@safe struct HMACAlgorithm: @unchecked Sendable {
    let pointer: OpaquePointer

    /// The implementation, which is never freed.
    static let fetched: Result<HMACAlgorithm, CryptoError> = {
        ErrorQueue.clear()
        guard let pointer = unsafe EVP_MAC_fetch(nil, "HMAC", nil) else { return .failure(CryptoError(draining: .fetchHMAC)) }
        return unsafe .success(HMACAlgorithm(pointer: pointer))
    }()
}

/// A hash function for HMAC. Each function is a type, so that codes of different lengths cannot be confused.
package protocol HashFunction {
    /// OpenSSL's name of the function, EVP_MAC-HMAC(7).
    static var name: String { get }
}

/// SHA-256, FIPS 180-4; its HMAC has 32 bytes.
package enum SHA256: HashFunction {
    package static var name: String { "SHA256" }
}

/// SHA-1 (FIPS 180-4); its HMAC has 20 bytes. Only for external signatures that require it.
package enum SHA1: HashFunction {
    package static var name: String { "SHA1" }
}

/// Computes the SHA-256 of bytes, FIPS 180-4.
package func sha256(_ bytes: Span<UInt8>) throws(CryptoError) -> [UInt8] {
    ErrorQueue.clear()
    var digest = [UInt8](repeating: 0, count: 32)
    let isDone = unsafe bytes.withUnsafeBufferPointer { bytes in
        unsafe digest.withUnsafeMutableBufferPointer { digest in
            unsafe EVP_Digest(bytes.baseAddress, bytes.count, digest.baseAddress, nil, EVP_sha256(), nil) == 1
        }
    }
    guard isDone else { throw CryptoError(draining: .digest) }
    return digest
}
