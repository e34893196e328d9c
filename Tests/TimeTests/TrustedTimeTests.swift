import TestSupport
import Testing
import Time

/// Clocks that a test sets.
private struct ScriptedClocks {
    var wall: UnixMilliseconds = 1_800_000_000_000
    var sinceBoot: UInt64 = 1000
    var boot = "first"

    var reading: TrustedTime.Reading { TrustedTime.Reading(wall: wall, sinceBoot: sinceBoot, boot: boot) }

    mutating func pass(_ milliseconds: UInt64) {
        wall += milliseconds
        sinceBoot += milliseconds
    }

    mutating func set(_ milliseconds: Int64) {
        wall = wall.advanced(by: milliseconds)
    }

    /// Simulates a machine that is off for this time.
    mutating func restart(offFor milliseconds: UInt64) {
        wall += milliseconds
        (sinceBoot, boot) = (500, boot + "+")
    }
}

@Suite struct TrustedTimeTests {
    private static let hour: UInt64 = 3_600_000
    private static let day = 24 * hour

    @Test func `delays nothing while the clocks agree`() {
        var clocks = ScriptedClocks()
        var time = TrustedTime(clocks.reading)
        for step in [1, 60_000, Self.day, 400 * Self.day] {
            clocks.pass(step)
            clocks.set(59_000)
            #expect(time.observe(clocks.reading) == nil)
        }
        #expect(time.held(for: .max) == 0)
    }

    @Test(arguments: [26 * hour, 271 * day]) func `delays a jump for as long as the age in question`(_ jump: UInt64) {
        var clocks = ScriptedClocks()
        var time = TrustedTime(clocks.reading)
        clocks.pass(Self.hour)
        clocks.set(Int64(jump))
        #expect(time.observe(clocks.reading) == .setForward(by: jump, isGap: false))
        clocks.pass(Self.day - 1)
        #expect(time.observe(clocks.reading) == nil)
        #expect(time.held(for: Self.day) == jump)
        clocks.pass(1)
        _ = time.observe(clocks.reading)
        #expect(time.held(for: Self.day) == 0)
        #expect(time.held(for: 270 * Self.day) == jump)
    }

    @Test func `accepts a jump back that corrects a mistake`() {
        var clocks = ScriptedClocks()
        var time = TrustedTime(clocks.reading)
        clocks.set(Int64(3 * Self.day))
        _ = time.observe(clocks.reading)
        clocks.set(-Int64(2 * Self.day))
        #expect(time.observe(clocks.reading) == .movedBack(by: 2 * Self.day))
        #expect(time.held(for: .max) == Self.day)
        clocks.set(-Int64(5 * Self.day))
        #expect(time.observe(clocks.reading) == .movedBack(by: Self.day))
        #expect(time.held(for: .max) == 0)
        clocks.set(-Int64(Self.day))
        #expect(time.observe(clocks.reading) == nil, "nothing was held back")
    }

    /// The monotonic clock continues while the machine is suspended.
    @Test func `a suspend is no jump`() {
        var clocks = ScriptedClocks()
        var time = TrustedTime(clocks.reading)
        clocks.pass(30 * Self.day)
        #expect(time.observe(clocks.reading) == nil)
    }

    /// A process that restarts on a running machine has the duration of its absence.
    @Test func `a restart of the process does not hide a jump`() {
        var clocks = ScriptedClocks()
        let before = TrustedTime(clocks.reading)
        clocks.pass(3 * Self.day)
        var honest = TrustedTime(before.last, age: before.age, jumps: before.jumps)
        #expect(honest.observe(clocks.reading) == nil)
        #expect(honest.age == 3 * Self.day)
        clocks.set(Int64(Self.day))
        var jumped = before
        #expect(jumped.observe(clocks.reading) == .setForward(by: Self.day, isGap: false))
    }

    @Test func `a machine that was off is trusted for an hour`() {
        var clocks = ScriptedClocks()
        var time = TrustedTime(clocks.reading)
        clocks.restart(offFor: Self.hour)
        #expect(time.observe(clocks.reading) == nil)
        clocks.restart(offFor: 3 * Self.day)
        #expect(time.observe(clocks.reading) == .setForward(by: 3 * Self.day - Self.hour, isGap: true))
        #expect(time.held(for: Self.day, longestGap: 30 * Self.day) == 3 * Self.day - Self.hour)
        #expect(time.held(for: Self.day, longestGap: Self.day) == 0, "nobody wants what is so old")
    }

    @Test func `without a boot time nothing is known`() {
        var clocks = ScriptedClocks(boot: "")
        var time = TrustedTime(clocks.reading)
        clocks.pass(2 * Self.day)
        #expect(time.observe(clocks.reading) == .setForward(by: 2 * Self.day - Self.hour, isGap: true))
    }

    /// For any settings of the clock, nothing seems older than it is by more than the tolerated steps, and everything ages.
    @Test(arguments: 0..<50) func `nothing ages faster than time passes`(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        var clocks = ScriptedClocks()
        var time = TrustedTime(clocks.reading)
        let (life, born) = (Self.day, clocks.reading)
        var lost: UInt64 = 0
        for _ in 0..<200 {
            clocks.pass(UInt64.random(in: 0...600_000, using: &random))
            if Int.random(in: 0..<10, using: &random) == 0 {
                clocks.set(Int64.random(in: -1000...Int64(100 * Self.day), using: &random))
            }
            _ = time.observe(clocks.reading)
            lost += TrustedTime.tolerance
            let real = clocks.sinceBoot - born.sinceBoot
            guard real < life else { break }
            let apparent = clocks.wall - born.wall - time.held(for: life)
            #expect(apparent <= real + lost, "seed \(seed)")
        }
        clocks.pass(life)
        _ = time.observe(clocks.reading)
        #expect(time.held(for: life) == 0)
    }
}
