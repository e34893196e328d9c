import Testing

@testable import Core

@Suite struct KeyedDigestTests {
    private static let key = KeyedDigest(low: 0x0706_0504_0302_0100, high: 0x0F0E_0D0C_0B0A_0908)

    private func bytes(_ digest: KeyedDigest) -> [UInt8] {
        [digest.low, digest.high].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * UInt64($0))) } }
    }

    /// From the authors' reference implementation (`vectors_sip128`): the message is 0, 1, 2 … with this length.
    @Test(
        arguments: [
            (0, [0xA3, 0x81, 0x7F, 0x04, 0xBA, 0x25, 0xA8, 0xE6, 0x6D, 0xF6, 0x72, 0x14, 0xC7, 0x55, 0x02, 0x93]),
            (1, [0xDA, 0x87, 0xC1, 0xD8, 0x6B, 0x99, 0xAF, 0x44, 0x34, 0x76, 0x59, 0x11, 0x9B, 0x22, 0xFC, 0x45]),
            (2, [0x81, 0x77, 0x22, 0x8D, 0xA4, 0xA4, 0x5D, 0xC7, 0xFC, 0xA3, 0x8B, 0xDE, 0xF6, 0x0A, 0xFF, 0xE4]),
        ] as [(Int, [UInt8])])
    func `the digest is SipHash`(count: Int, digest: [UInt8]) {
        let message = (0..<count).map { UInt8($0) }
        let found = SipHash(Self.key).finish(message.span)
        #expect(bytes(found) == digest)
    }

    /// Adding a word first is equivalent to adding its bytes.
    @Test(arguments: [0, 1, 7, 8, 9, 136]) func `words are added as little-endian bytes`(count: Int) {
        let rest = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) }
        let whole = [1, 2, 3, 4, 5, 6, 7, 8] + rest
        var hash = SipHash(Self.key)
        hash.append(0x0807_0605_0403_0201)
        let (apart, together) = (hash.finish(rest.span), SipHash(Self.key).finish(whole.span))
        #expect(apart == together)
    }
}
