internal import COpenSSL
internal import Threading

/// Overwrites all of `bytes` with output of OpenSSL's generator, RAND_bytes(3), fit for salts and secrets.
///
/// At most 2^31 - 1 bytes. Throws when the generator cannot be seeded; then `bytes` must not be used.
package func fillWithRandomBytes(_ bytes: inout MutableSpan<UInt8>) throws(CryptoError) {
    ErrorQueue.clear()
    let status = unsafe bytes.withUnsafeMutableBufferPointer { unsafe RAND_bytes($0.baseAddress, Int32($0.count)) }
    guard status == 1 else { throw CryptoError(draining: .random) }
}

/// As many random bytes as the result's type says; throws as `fillWithRandomBytes` does.
package func randomBytes<let count: Int>() throws(CryptoError) -> InlineArray<count, UInt8> {
    var bytes = InlineArray<count, UInt8>(repeating: 0)
    var span = bytes.mutableSpan
    try fillWithRandomBytes(&span)
    return bytes
}

/// Random bytes for what is made by the thousand, drawn from OpenSSL's generator in blocks: a call of that costs more than the rest of a UUID.
///
/// Safe on any thread. What was handed out is erased in the block, so that nobody finds it there later. Keys and salts are drawn with
/// `randomBytes` instead, and lie nowhere before they are used.
package final class RandomPool: Sendable {
    private static let blockCount = 4000

    private struct Block {
        var bytes: [UInt8]
        /// How many have been handed out.
        var used: Int
    }

    private let block = Monitor(Block(bytes: [UInt8](repeating: 0, count: blockCount), used: blockCount))

    /// Makes an empty pool; it draws when it is first asked.
    package init() {}

    deinit {
        block.withLock { Self.erase(0..<Self.blockCount, of: &$0.bytes) }
    }

    /// The random part of a UUID; each byte is given once.
    ///
    /// Throws when the generator cannot be seeded.
    package func tenBytes() throws(CryptoError) -> InlineArray<10, UInt8> {
        try block.withLock { block -> Result<InlineArray<10, UInt8>, CryptoError> in
            do throws(CryptoError) {
                return .success(try Self.tenBytes(of: &block))
            } catch {
                return .failure(error)
            }
        }.get()
    }

    private static func tenBytes(of block: inout Block) throws(CryptoError) -> InlineArray<10, UInt8> {
        if block.used == blockCount {
            var span = block.bytes.mutableSpan
            try fillWithRandomBytes(&span)
            block.used = 0
        }
        let range = block.used..<block.used + 10
        let taken = InlineArray<10, UInt8> { block.bytes[range.lowerBound + $0] }
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
