internal import COpenSSL

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
