internal import COpenSSL
internal import Glibc

/// A secret prepared once for any number of HMAC computations, RFC 2104; any thread may compute at any time.
// Sendable, because each keyed context is used by one thread at a time, see `HMACContext`, and the buffer is written in `init` and
// `deinit` only.
@safe package final class HMACKey<Hash: HashFunction>: @unchecked Sendable {
    private let contexts: HMACContextPool

    /// Copies the secret into OpenSSL, which erases its copy when the key goes.
    ///
    /// Throws when the secret is empty, since that would prove nothing, and when OpenSSL fails.
    package init(secret: Span<UInt8>) throws(CryptoError) {
        guard !secret.isEmpty else { throw CryptoError(operation: .keyHMAC, reasons: ["the secret is empty"]) }
        contexts = try HMACContextPool(secret: secret, digest: Hash.name)
    }
}

extension HMACKey where Hash == SHA256 {
    /// Computes the code of the message that `build` appends; compare it with `constantTimeEquals` only.
    ///
    /// Throws what `build` throws, and when OpenSSL fails. Allocates nothing unless more threads compute than there are contexts.
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
    /// Computes the code of the message that `build` appends; compare it with `constantTimeEquals` only.
    ///
    /// Throws what `build` throws, and when OpenSSL fails.
    package func code(
        of build: (inout HMACMessage) throws(CryptoError) -> Void
    ) throws(CryptoError) -> InlineArray<20, UInt8> {
        var code = InlineArray<20, UInt8>(repeating: 0)
        var output = code.mutableSpan
        try contexts.compute(into: &output, build)
        return code
    }
}

/// The message of one HMAC being computed, lent to the closure that appends its parts.
///
/// Parts are gathered in a buffer, because OpenSSL takes longer to be called than to hash so few bytes.
@safe package struct HMACMessage: ~Copyable {
    private static let capacity = 256

    private let context: OpaquePointer
    private var gathered = InlineArray<256, UInt8>(repeating: 0)
    private var count = 0

    /// Lends a context that has been keyed and reset; it stays the caller's.
    init(of context: OpaquePointer) {
        unsafe self.context = context
    }

    /// Appends bytes; throws when OpenSSL fails.
    package mutating func append(_ bytes: Span<UInt8>) throws(CryptoError) {
        if bytes.count > Self.capacity - count { try flush() }
        guard bytes.count <= Self.capacity else { return try update(bytes) }
        unsafe bytes.withUnsafeBytes { part in
            var buffer = gathered.mutableSpan
            unsafe buffer.withUnsafeMutableBytes { unsafe UnsafeMutableRawBufferPointer(rebasing: $0[count...]).copyMemory(from: part) }
        }
        count += bytes.count
    }

    /// Appends the UTF-8 bytes of a constant; throws when OpenSSL fails.
    package mutating func append(_ label: StaticString) throws(CryptoError) {
        try append(unsafe Span(_unsafeStart: label.utf8Start, count: label.utf8CodeUnitCount))
    }

    /// Gives what has been gathered to OpenSSL; afterwards the code can be computed.
    mutating func flush() throws(CryptoError) {
        try update(gathered.span.extracting(..<count))
        count = 0
    }

    private func update(_ bytes: Span<UInt8>) throws(CryptoError) {
        let status = unsafe bytes.withUnsafeBufferPointer { unsafe EVP_MAC_update(context, $0.baseAddress, $0.count) }
        guard status == 1 else { throw CryptoError(draining: .updateHMAC) }
    }
}

/// OpenSSL's implementation of HMAC, fetched once a process because EVP_MAC_fetch(3) searches every provider.
// Sendable, because a fetched EVP_MAC is never changed, and its references are counted atomically.
@safe struct HMACAlgorithm: @unchecked Sendable {
    let pointer: OpaquePointer

    /// The implementation, or why there is none; never freed, as it lives as long as the process.
    static let fetched: Result<HMACAlgorithm, CryptoError> = {
        ErrorQueue.clear()
        guard let pointer = unsafe EVP_MAC_fetch(nil, "HMAC", nil) else { return .failure(CryptoError(draining: .fetchHMAC)) }
        return unsafe .success(HMACAlgorithm(pointer: pointer))
    }()
}

/// A hash function that an HMAC is built on; chosen as a type, so that codes of two lengths cannot be mixed up.
package protocol HashFunction {
    /// The name that OpenSSL knows it by, EVP_MAC-HMAC(7).
    static var name: String { get }
}

/// SHA-256, FIPS 180-4; its HMAC has 32 bytes.
package enum SHA256: HashFunction {
    package static var name: String { "SHA256" }
}

/// SHA-1, FIPS 180-4; its HMAC has 20 bytes. For foreign signatures that demand it, never for our own.
package enum SHA1: HashFunction {
    package static var name: String { "SHA1" }
}

/// SHA-256 of bytes, FIPS 180-4.
/// - Throws: when OpenSSL fails.
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
