import Bytes
import Core
import TestSupport
import Testing
import Time

@Suite struct UUIDv7Tests {
    private static let sample = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"

    /// RFC 9562 appendix A.6: 2022-02-22 14:22:22 -05:00, rand_a 0xCC3, rand_b 0x18C4DC0C0C07398F.
    @Test func `the bytes equal the published example`() throws {
        let random: InlineArray<10, UInt8> = [0x03, 0x30, 0xD8, 0xC4, 0xDC, 0x0C, 0x0C, 0x07, 0x39, 0x8F]
        let example = try #require(UUIDv7(Self.sample))
        #expect(UUIDv7(milliseconds: 0x017F_22E2_79B0, random: random) == example)
        #expect(example.milliseconds == 1_645_557_742_000)
        #expect(example.description == Self.sample)
        #expect(example.bytes == [0x01, 0x7F, 0x22, 0xE2, 0x79, 0xB0, 0x7C, 0xC3, 0x98, 0xC4, 0xDC, 0x0C, 0x0C, 0x07, 0x39, 0x8F])
    }

    @Test(arguments: 0..<50)
    func `all forms survive a round trip`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let milliseconds = UnixMilliseconds(UInt64.random(in: 0...UUIDv7.latestMilliseconds.rawValue, using: &random))
        let made = UUIDv7(milliseconds: milliseconds, random: randomTail(&random))
        #expect(made.milliseconds == milliseconds)
        #expect(made.bytes[6] >> 4 == 7)
        #expect(made.bytes[8] >> 6 == 0b10)
        #expect(UUIDv7(made.description) == made)
        #expect(UUIDv7(made.description.uppercased()) == made)
        #expect(UUIDv7(bytes: made.bytes.span) == made)
        #expect(Hexadecimal.text(made.bytes.span) == String(made.description.filter { $0 != "-" }))
    }

    @Test func `uses 74 random bits`() {
        let zero = UUIDv7(milliseconds: 0, random: InlineArray(repeating: 0))
        var reported: Set<UUIDv7> = [zero]
        for bit in 0..<80 {
            var random = InlineArray<10, UInt8>(repeating: 0)
            random[bit / 8] = 0x80 >> (bit % 8)
            reported.insert(UUIDv7(milliseconds: 0, random: random))
        }
        #expect(reported.count == 75)
        #expect(zero.description == "00000000-0000-7000-8000-000000000000")
        let full = UUIDv7(milliseconds: .max, random: InlineArray(repeating: 0xFF))
        #expect(full.description == "ffffffff-ffff-7fff-bfff-ffffffffffff")
    }

    @Test(arguments: [
        "", "017f22e2-79b0-7cc3-98c4-dc0c0c07398", "017f22e2-79b0-7cc3-98c4-dc0c0c07398f0", "017f22e279b07cc398c4dc0c0c07398f",
        "017f22e2-79b0-4cc3-98c4-dc0c0c07398f", "017f22e2-79b0-7cc3-58c4-dc0c0c07398f", "017f22e2-79b0-7cc3-c8c4-dc0c0c07398f",
        "017f22e2-79b0-7cc3-98c4-dc0c0c07398g", "017f22e2-79b07-cc3-98c4-dc0c0c07398f", "017f22e2_79b0_7cc3_98c4_dc0c0c07398f",
        "{17f22e2-79b0-7cc3-98c4-dc0c0c07398}", " 17f22e2-79b0-7cc3-98c4-dc0c0c07398f", "017f22e2-79b0-7cc3-98c4-dc0c0c0739\u{e9}",
        "+17f22e2-79b0-7cc3-98c4-dc0c0c07398f", "017f22e2-79b0-7cc3-98c4-dc0c0c07398-",
    ])
    func `other texts are rejected`(text: String) {
        #expect(UUIDv7(text) == nil)
    }

    @Test(arguments: [0, 15, 17, 32])
    func `other numbers of bytes are rejected`(count: Int) {
        let bytes = [UInt8](repeating: 0x77 | 0x80, count: count)
        #expect(UUIDv7(bytes: bytes.span) == nil)
    }

    @Test func `other versions and variants are rejected`() throws {
        let sample = try #require(UUIDv7(Self.sample)).bytes
        for value in UInt8.min...UInt8.max {
            var (versioned, varied) = (sample, sample)
            (versioned[6], varied[8]) = (value, value)
            #expect((UUIDv7(bytes: versioned.span) != nil) == (value >> 4 == 7))
            #expect((UUIDv7(bytes: varied.span) != nil) == (value >> 6 == 0b10))
        }
    }

    @Test func `is ordered like its bytes and text`() {
        var random = SeededGenerator(seed: 5)
        let made = (0..<200).map { number in UUIDv7(milliseconds: UnixMilliseconds(number % 4), random: randomTail(&random)) }.sorted()
        for (left, right) in zip(made, made.dropFirst()) {
            #expect(left < right)
            #expect(left.bytes.lexicographicallyPrecedes(right.bytes))
            #expect(left.description.utf8.lexicographicallyPrecedes(right.description.utf8))
        }
    }

    @Test(arguments: 0..<50) func `events created together ascend with their positions`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let made = UUIDv7(milliseconds: UnixMilliseconds(seed), random: randomTail(&random))
        let events = [0, 1, 2, 3, 255, 256, UUIDv7.maximumEvents - 1].map { made.event($0) }
        #expect(events == events.sorted())
        #expect(Set(events).count == events.count)
        #expect(events.allSatisfy { $0.milliseconds == made.milliseconds })
        #expect(events.allSatisfy { $0.position == -1 }, "there is room for the ids of deliveries")
        #expect(events.allSatisfy { UUIDv7($0.description) == $0 })
    }

    /// If every bit is set, a sum could overflow into the variant and the time.
    @Test func `the largest event keeps its millisecond`() {
        let last = UUIDv7(milliseconds: 7, random: InlineArray(repeating: 0xFF)).event(UUIDv7.maximumEvents - 1)
        #expect(last.description == "00000000-0007-7fff-bfff-fffffffe0000")
    }

    private func randomTail(_ random: inout SeededGenerator) -> InlineArray<10, UInt8> {
        InlineArray { _ in UInt8(truncatingIfNeeded: random.next()) }
    }
}
