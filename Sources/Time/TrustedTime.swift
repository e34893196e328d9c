/// Trusted time: how much of the wall clock's time counts when the age of something is computed.
///
/// A clock that is set forward makes everything look older than it is. Therefore the length of a jump forward is held back from every age,
/// for as long as the age in question. For example, if comments live for a day, none of them expires early because of a jump during the day
/// after it; by then every comment that arrived before the jump is a day old in any case. What arrives after the jump has the new time from
/// the start. So it does not matter whether the old or the new time was wrong, and no stored time is changed. When the clock is set back,
/// the jump is cancelled.
///
/// The passage of time is measured by a clock that cannot be set and that runs while the machine is suspended. It does not run across a
/// start of the machine: then up to `believedGap` of what the wall clock says has passed counts, and the rest is held back like a jump.
package struct TrustedTime: Sendable, Equatable {
    package struct Reading: Sendable, Equatable {
        package let wall: UnixMilliseconds
        /// Milliseconds of a clock that cannot be set, since the machine started.
        package let sinceBoot: UInt64
        /// Identifies the start of the machine; empty when it is not known.
        package let boot: String

        package init(wall: UnixMilliseconds, sinceBoot: UInt64, boot: String) {
            self.wall = wall
            self.sinceBoot = sinceBoot
            self.boot = boot
        }
    }

    /// Time that the wall clock has gained on the clock that cannot be set.
    package struct ClockJump: Sendable, Equatable {
        package let at: UInt64
        /// Milliseconds of the jump.
        package internal(set) var by: UInt64
        /// Whether the machine was started in between, so that it may have been off for as long.
        package let isGap: Bool

        package init(at: UInt64, by: UInt64, isGap: Bool) {
            self.at = at
            self.by = by
            self.isGap = isGap
        }
    }

    package enum Notice: Sendable, Equatable {
        /// The clock was set forward by so many milliseconds.
        case setForward(by: UInt64, isGap: Bool)
        /// The clock was set back, which cancels so many milliseconds that were held back.
        case movedBack(by: UInt64)
    }

    /// The shortest change that counts as a jump, in milliseconds.
    package static let tolerance: UInt64 = 60_000
    /// Milliseconds for which the machine may be off without anything being withheld.
    package static let believedGap: UInt64 = 3_600_000
    /// Jumps older than this are dropped, in milliseconds: ten years and a day, longer than anything is kept.
    private static let longestPeriod: UInt64 = 3651 * 86_400_000

    package private(set) var last: Reading
    /// For how many milliseconds the clocks have been observed.
    package private(set) var age: UInt64
    /// The jumps that are held back, the oldest first.
    package private(set) var jumps: [ClockJump]

    /// Begins with a first reading; or, with all three values of an earlier process, continues it.
    package init(_ first: Reading, age: UInt64 = 0, jumps: [ClockJump] = []) {
        last = first
        self.age = age
        self.jumps = jumps
    }

    /// Takes in a reading.
    /// - Returns: a jump or its end; nil when there was neither.
    package mutating func observe(_ reading: Reading) -> Notice? {
        let walked = reading.wall.offset(from: last.wall)
        let isGap = reading.boot.isEmpty || reading.boot != last.boot || reading.sinceBoot < last.sinceBoot
        let passed = isGap ? UInt64(max(0, min(walked, Int64(Self.believedGap)))) : reading.sinceBoot - last.sinceBoot
        last = reading
        age += passed
        jumps.removeAll { age - $0.at > Self.longestPeriod }
        let gained = walked - Int64(clamping: passed)
        guard gained.magnitude > Self.tolerance else { return nil }
        if gained < 0 { return takeBack(gained.magnitude) }
        jumps.append(ClockJump(at: age, by: gained.magnitude, isGap: isGap))
        return .setForward(by: gained.magnitude, isGap: isGap)
    }

    /// Returns the milliseconds of the wall clock's time that do not count towards an age.
    /// - Parameters:
    ///   - period: the age in question, in milliseconds.
    ///   - longestGap: the longest time for which the machine was off that is withheld; a longer one counts in full.
    package func held(for period: UInt64, longestGap: UInt64 = .max) -> UInt64 {
        jumps.reduce(0) { sum, jump in
            let counts = age - jump.at < period && (!jump.isGap || jump.by <= longestGap)
            return counts ? sum + jump.by : sum
        }
    }

    /// Cancels jumps, the newest first, because those are the wrong ones.
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
