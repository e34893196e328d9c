internal import COpenSSL
internal import Threading

/// Fills `bytes`, at most 2^31 - 1, from OpenSSL's cryptographic generator, RAND_bytes(3).
/// - Throws: when the generator cannot be seeded; then `bytes` must not be used.
package func fillWithRandomBytes(_ bytes: inout MutableSpan<UInt8>) throws(CryptoError) {
    ErrorQueue.clear()
    let status = unsafe bytes.withUnsafeMutableBufferPointer { unsafe RAND_bytes($0.baseAddress, Int32($0.count)) }
    guard status == 1 else { throw CryptoError(draining: .random) }
}

/// Returns random bytes, in the number that the result type specifies.
package func randomBytes<let count: Int>() throws(CryptoError) -> InlineArray<count, UInt8> {
    var bytes = InlineArray<count, UInt8>(repeating: 0)
    var span = bytes.mutableSpan
    try fillWithRandomBytes(&span)
    return bytes
}

/// Random bytes for ids that are created in large numbers. The pool draws blocks from OpenSSL's generator, because one call of the
/// generator costs more than the other steps of creating a UUID.
///
/// Any thread may use the pool. Bytes are erased from the block when they are returned. Do not use the pool for keys and salts; use
/// `randomBytes`, which does not store bytes in advance.
package final class RandomPool: Sendable {
    private static let blockCount = 4000

    private struct Block {
        var bytes: [UInt8]
        /// The number of bytes of the block that were returned.
        var used: Int
    }

    private let block = Monitor(Block(bytes: [UInt8](repeating: 0, count: blockCount), used: blockCount))

    /// Creates an empty pool, which draws its first block on demand.
    package init() {}

    deinit {
        block.withLock { Self.erase(0..<Self.blockCount, of: &$0.bytes) }
    }

    /// Returns the random part of a UUID. No byte is returned twice.
    package func tenBytes() throws(CryptoError) -> InlineArray<10, UInt8> { try take() }

    /// Returns 64 random bits. No byte is returned twice.
    package func word() throws(CryptoError) -> UInt64 {
        let bytes: InlineArray<8, UInt8> = try take()
        return bytes.indices.reduce(0) { $0 << 8 | UInt64(bytes[$1]) }
    }

    private func take<let count: Int>() throws(CryptoError) -> InlineArray<count, UInt8> {
        try block.withLock { block -> Result<InlineArray<count, UInt8>, CryptoError> in
            do throws(CryptoError) {
                return .success(try Self.take(from: &block))
            } catch {
                return .failure(error)
            }
        }.get()
    }

    private static func take<let count: Int>(from block: inout Block) throws(CryptoError) -> InlineArray<count, UInt8> {
        if block.used + count > blockCount {
            var span = block.bytes.mutableSpan
            try fillWithRandomBytes(&span)
            block.used = 0
        }
        let range = block.used..<block.used + count
        let taken = InlineArray<count, UInt8> { block.bytes[range.lowerBound + $0] }
        erase(range, of: &block.bytes)
        block.used = range.upperBound
        return taken
    }

    private static func erase(_ range: Range<Int>, of bytes: inout [UInt8]) {
        unsafe bytes.withUnsafeMutableBytes { buffer in
            unsafe OPENSSL_cleanse(buffer.baseAddress.map { unsafe $0 + range.lowerBound }, range.count)
        }
    }
}
