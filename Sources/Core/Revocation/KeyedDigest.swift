/// A digest of 128 bits under a random key (SipHash-2-4). Collisions cannot be found without the key.
package struct KeyedDigest: Sendable, Hashable {
    let low: UInt64
    let high: UInt64

    /// 16 bytes, little-endian.
    package var bytes: [UInt8] {
        [low, high].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * UInt64($0))) } }
    }

    /// Parses `bytes`; nil unless there are 16.
    package init?(bytes: Span<UInt8>) {
        guard bytes.count == 16 else { return nil }
        func word(from start: Int) -> UInt64 { (0..<8).reduce(0) { $0 | UInt64(bytes[start + $1]) << (8 * UInt64($1)) } }
        self.init(low: word(from: 0), high: word(from: 8))
    }

    init(low: UInt64, high: UInt64) { (self.low, self.high) = (low, high) }

    static func randomKey() -> KeyedDigest {
        KeyedDigest(low: .random(in: .min ... .max), high: .random(in: .min ... .max))
    }
}

/// SipHash-2-4 with 128 bits; does not allocate.
struct SipHash {
    private var v0, v1, v2, v3: UInt64
    private var wordBytes = 0

    init(_ key: KeyedDigest) {
        v0 = key.low ^ 0x736f_6d65_7073_6575
        v1 = key.high ^ 0x646f_7261_6e64_6f6d ^ 0xEE
        v2 = key.low ^ 0x6c79_6765_6e65_7261
        v3 = key.high ^ 0x7465_6462_7974_6573
    }

    /// Adds eight bytes, little-endian.
    mutating func append(_ word: UInt64) {
        v3 ^= word
        round()
        round()
        v0 ^= word
        wordBytes += 8
    }

    consuming func finish(_ bytes: Span<UInt8>) -> KeyedDigest {
        let count = wordBytes + bytes.count
        var index = 0
        while bytes.count - index >= 8 {
            append(Self.word(bytes, from: index, count: 8))
            index += 8
        }
        append(Self.word(bytes, from: index, count: bytes.count - index) | UInt64(truncatingIfNeeded: count) << 56)
        v2 ^= 0xEE
        for _ in 0..<4 { round() }
        let low = v0 ^ v1 ^ v2 ^ v3
        v1 ^= 0xDD
        for _ in 0..<4 { round() }
        return KeyedDigest(low: low, high: v0 ^ v1 ^ v2 ^ v3)
    }

    private static func word(_ bytes: Span<UInt8>, from start: Int, count: Int) -> UInt64 {
        var word: UInt64 = 0
        for index in 0..<count { word |= UInt64(bytes[start + index]) << (8 * UInt64(index)) }
        return word
    }

    private mutating func round() {
        v0 &+= v1
        v1 = Self.rotated(v1, 13) ^ v0
        v0 = Self.rotated(v0, 32)
        v2 &+= v3
        v3 = Self.rotated(v3, 16) ^ v2
        v0 &+= v3
        v3 = Self.rotated(v3, 21) ^ v0
        v2 &+= v1
        v1 = Self.rotated(v1, 17) ^ v2
        v2 = Self.rotated(v2, 32)
    }

    private static func rotated(_ word: UInt64, _ bits: UInt64) -> UInt64 { word << bits | word >> (64 - bits) }
}
