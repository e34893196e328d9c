/// How much of the wall clock's time is believed when it says that something is old.
///
/// A clock that is set forward makes everything look older than it is. So what a jump forward has added is held back from every age, for as long as
/// the age in question: a comment that lives a day loses nothing to a jump until the day after it, and by then every comment that arrived before the
/// jump is a day old in any case. What arrives after the jump has the new time from the start. Whether the old or the new time was wrong
/// therefore need not be known, and nothing is shifted when the new time is accepted. When the clock comes back, the jump is taken back.
///
/// What time has passed is told by a clock that nobody sets and that goes on while the machine is suspended. Across a start of the machine there is
/// none: of what the wall clock says has passed, `believedGap` is believed, and the rest is held back like a jump.
package struct TrustedTime: Sendable, Equatable {
    /// What the clocks say at one moment.
    package struct Reading: Sendable, Equatable {
        /// Unix milliseconds.
        package let wall: UInt64
        /// Milliseconds of a clock that nobody sets, since the machine started.
        package let sinceBoot: UInt64
        /// Which start of the machine that was; empty when it is not known.
        package let boot: String

        /// Makes a reading.
        package init(wall: UInt64, sinceBoot: UInt64, boot: String) {
            self.wall = wall
            self.sinceBoot = sinceBoot
            self.boot = boot
        }
    }

    /// Time that the wall clock has gained on the one that nobody sets.
    package struct Jump: Sendable, Equatable {
        /// The age at which it was noticed.
        package let at: UInt64
        /// How much, in milliseconds.
        package internal(set) var by: UInt64
        /// Whether the machine was started in between, so that it may have been off for as long.
        package let isGap: Bool

        /// Makes a jump.
        package init(at: UInt64, by: UInt64, isGap: Bool) {
            self.at = at
            self.by = by
            self.isGap = isGap
        }
    }

    /// What operators are told.
    package enum Notice: Sendable, Equatable {
        /// The clock has jumped forward by so many milliseconds.
        case setForward(by: UInt64, isGap: Bool)
        /// The clock has come back by so many milliseconds that were held back.
        case cameBack(by: UInt64)
    }

    /// The least that is taken for a jump, in milliseconds.
    package static let tolerance: UInt64 = 60_000
    /// How long a machine may be off without being noticed, in milliseconds.
    package static let believedGap: UInt64 = 3_600_000
    /// After so many milliseconds no age asks for a jump any more: ten years and a day, longer than anything is kept.
    private static let longestPeriod: UInt64 = 3651 * 86_400_000

    /// The reading that was observed last.
    package private(set) var last: Reading
    /// For how many milliseconds time has been watched.
    package private(set) var age: UInt64
    /// The oldest first.
    package private(set) var jumps: [Jump]

    /// Begins to watch; or goes on where an earlier process has stopped, with the next reading.
    package init(_ first: Reading, age: UInt64 = 0, jumps: [Jump] = []) {
        last = first
        self.age = age
        self.jumps = jumps
    }

    /// Takes in what the clocks say now.
    package mutating func observe(_ reading: Reading) -> Notice? {
        let walked = Int64(clamping: reading.wall) - Int64(clamping: last.wall)
        let isGap = reading.boot.isEmpty || reading.boot != last.boot || reading.sinceBoot < last.sinceBoot
        let passed = isGap ? UInt64(max(0, min(walked, Int64(Self.believedGap)))) : reading.sinceBoot - last.sinceBoot
        last = reading
        age += passed
        jumps.removeAll { age - $0.at > Self.longestPeriod }
        let gained = walked - Int64(clamping: passed)
        guard gained.magnitude > Self.tolerance else { return nil }
        if gained < 0 { return takeBack(gained.magnitude) }
        jumps.append(Jump(at: age, by: gained.magnitude, isGap: isGap))
        return .setForward(by: gained.magnitude, isGap: isGap)
    }

    /// How much of the wall clock's time is held back from an age, in milliseconds.
    /// - Parameters:
    ///   - period: the age in question, in milliseconds.
    ///   - longestGap: how long the machine may have been off for it to be held back; a longer time is believed.
    package func held(for period: UInt64, longestGap: UInt64 = .max) -> UInt64 {
        jumps.reduce(0) { sum, jump in
            let counts = age - jump.at < period && (!jump.isGap || jump.by <= longestGap)
            return counts ? sum + jump.by : sum
        }
    }

    /// The newest jumps are the ones that were wrong.
    private mutating func takeBack(_ milliseconds: UInt64) -> Notice? {
        var left = milliseconds
        while left > 0, let jump = jumps.last {
            let part = min(left, jump.by)
            left -= part
            if part == jump.by { jumps.removeLast() } else { jumps[jumps.count - 1].by -= part }
        }
        return left == milliseconds ? nil : .cameBack(by: milliseconds - left)
    }
}
