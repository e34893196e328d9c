/// Trusted time: the wall clock's time, less the jumps that must not age stored data.
///
/// A clock that is set forward makes all data look older than it is. The length of a jump forward is therefore held back from every age,
/// for as long as the age in question. For example, if comments live for a day, none of them expires early because of a jump during the day
/// after it; by then every comment that arrived before the jump is a day old in any case. Data that arrives after the jump uses the new
/// time from the start. It therefore does not matter whether the old or the new time was wrong, and no stored time is changed. When the
/// clock is set back, the jump is cancelled.
///
/// Elapsed time is measured by a clock that cannot be set and that runs during suspension. It restarts at boot: after a boot, up to
/// `longestTrustedGap` of the time shown by the wall clock is accepted as elapsed, and the rest is held back like a jump.
package struct TrustedTime: Sendable, Equatable {
    package struct Reading: Sendable, Equatable {
        package let wall: UnixMilliseconds
        /// Milliseconds of a clock that cannot be set, since the machine started.
        package let sinceBoot: UInt64
        /// The boot's id; empty when unknown.
        package let boot: String

        package init(wall: UnixMilliseconds, sinceBoot: UInt64, boot: String) {
            self.wall = wall
            self.sinceBoot = sinceBoot
            self.boot = boot
        }
    }

    /// Time that the wall clock has gained on the clock that cannot be set.
    package struct ClockJump: Sendable, Equatable {
        /// The value of `age` at the detection.
        package let at: UInt64
        package internal(set) var by: UInt64
        /// Whether the machine was booted in between, so that it may have been off.
        package let isGap: Bool

        package init(at: UInt64, by: UInt64, isGap: Bool) {
            self.at = at
            self.by = by
            self.isGap = isGap
        }
    }

    /// A change to report to operators.
    package enum Notice: Sendable, Equatable {
        /// In milliseconds.
        case setForward(by: UInt64, isGap: Bool)
        /// The clock was set back, which cancels so many milliseconds that were held back.
        case movedBack(by: UInt64)
    }

    /// The shortest jump in milliseconds; smaller differences are ignored.
    package static let tolerance: UInt64 = 60_000
    /// The longest time off, in milliseconds, that is accepted as elapsed in full.
    package static let longestTrustedGap: UInt64 = 3_600_000
    /// The age in milliseconds after which jumps are dropped: ten years and a day, longer than any retention.
    private static let longestPeriod: UInt64 = 3651 * 86_400_000

    package private(set) var last: Reading
    /// Milliseconds for which the clocks have been observed.
    package private(set) var age: UInt64
    /// The jumps that are held back, oldest first.
    package private(set) var jumps: [ClockJump]

    /// Starts with a first reading, or continues from the state of an earlier process.
    package init(_ first: Reading, age: UInt64 = 0, jumps: [ClockJump] = []) {
        last = first
        self.age = age
        self.jumps = jumps
    }

    /// Evaluates a reading.
    /// - Returns: a jump or its end; nil when there was neither.
    package mutating func observe(_ reading: Reading) -> Notice? {
        let walked = reading.wall.offset(from: last.wall)
        let isGap = reading.boot.isEmpty || reading.boot != last.boot || reading.sinceBoot < last.sinceBoot
        let passed = isGap ? UInt64(max(0, min(walked, Int64(Self.longestTrustedGap)))) : reading.sinceBoot - last.sinceBoot
        last = reading
        age += passed
        jumps.removeAll { age - $0.at > Self.longestPeriod }
        let gained = walked - Int64(clamping: passed)
        guard gained.magnitude > Self.tolerance else { return nil }
        if gained < 0 { return takeBack(gained.magnitude) }
        jumps.append(ClockJump(at: age, by: gained.magnitude, isGap: isGap))
        return .setForward(by: gained.magnitude, isGap: isGap)
    }

    /// Returns the milliseconds of the wall clock that are held back from an age.
    /// - Parameters:
    ///   - period: the age in question, in milliseconds.
    ///   - longestGap: the longest time off that is held back, in milliseconds; a longer one counts in full.
    package func held(for period: UInt64, longestGap: UInt64 = .max) -> UInt64 {
        jumps.reduce(0) { sum, jump in
            let counts = age - jump.at < period && (!jump.isGap || jump.by <= longestGap)
            return counts ? sum + jump.by : sum
        }
    }

    /// Cancels jumps, newest first, because the newest are the wrong ones.
    private mutating func takeBack(_ milliseconds: UInt64) -> Notice? {
        var left = milliseconds
        while left > 0, let jump = jumps.last {
            let part = min(left, jump.by)
            left -= part
            if part == jump.by { jumps.removeLast() } else { jumps[jumps.count - 1].by -= part }
        }
        return left == milliseconds ? nil : .movedBack(by: milliseconds - left)
    }
}
