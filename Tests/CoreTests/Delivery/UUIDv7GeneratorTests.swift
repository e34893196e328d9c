import Core
import TestSupport
import Testing

@Suite struct UUIDv7GeneratorTests {
    private static let full = InlineArray<10, UInt8>(repeating: 0xFF)

    @Test(arguments: 0..<20)
    func onlyRisesWhateverTheClockDoes(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var generator = UUIDv7Generator()
        var clock: UInt64 = 1_767_225_600_000
        var (last, latest): (UUIDv7?, UInt64) = (nil, 0)
        for _ in 0..<500 {
            let next = generator.next(milliseconds: clock, random: InlineArray { _ in UInt8(truncatingIfNeeded: random.next()) })
            if let last { #expect(last < next) }
            latest = max(latest, clock)
            #expect(next.milliseconds == latest)
            last = next
            clock = clock &+ UInt64.random(in: 0...2, using: &random) &- UInt64.random(in: 0...2, using: &random)
        }
    }

    @Test func takesTheClockAndAllRandomBitsWhenTimeGoesOn() {
        var generator = UUIDv7Generator()
        #expect(generator.next(milliseconds: 5, random: Self.full) == UUIDv7(milliseconds: 5, random: Self.full))
        #expect(generator.next(milliseconds: 6, random: Self.full) == UUIDv7(milliseconds: 6, random: Self.full))
    }

    @Test func stepsByAtLeastOneWithinAMillisecond() {
        var generator = UUIDv7Generator()
        let zero = InlineArray<10, UInt8>(repeating: 0)
        #expect(generator.next(milliseconds: 5, random: zero).description == "00000000-0005-7000-8000-000000000000")
        #expect(generator.next(milliseconds: 5, random: zero).description == "00000000-0005-7000-8000-000000000001")
        #expect(generator.next(milliseconds: 4, random: Self.full).description == "00000000-0005-7000-8000-000100000001")
    }

    @Test func runsAheadOfTheClockWhenAMillisecondIsUsedUp() {
        var generator = UUIDv7Generator()
        let last = generator.next(milliseconds: 5, random: Self.full)
        let next = generator.next(milliseconds: 5, random: Self.full)
        #expect(last < next)
        #expect(next == UUIDv7(milliseconds: 6, random: Self.full))
    }

    @Test func carriesFromTheLowerRandomPartToTheUpper() {
        var generator = UUIDv7Generator()
        // 62 ones below 12 zeros.
        var random = Self.full
        (random[0], random[1], random[2]) = (0, 0, 0x3F)
        let before = generator.next(milliseconds: 5, random: random)
        #expect(before.description == "00000000-0005-7000-bfff-ffffffffffff")
        let after = generator.next(milliseconds: 5, random: InlineArray(repeating: 0))
        #expect(after.description == "00000000-0005-7001-8000-000000000000")
    }

    @Test func aClockBeyondAllTimeStillRises() {
        var generator = UUIDv7Generator()
        let zero = InlineArray<10, UInt8>(repeating: 0)
        let first = generator.next(milliseconds: .max, random: zero)
        #expect(first.milliseconds == UUIDv7.latestMilliseconds)
        #expect(first < generator.next(milliseconds: .max, random: zero))
    }
}
