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
