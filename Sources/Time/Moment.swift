/// A moment of one clock as a count of its units. The types keep moments of different clocks and units apart; durations are plain `UInt64`
/// with the unit in their name. A moment has the layout of its number.
package protocol Moment: Sendable, Hashable, Comparable, ExpressibleByIntegerLiteral, CustomStringConvertible {
    /// The number of units since the clock's zero.
    var rawValue: UInt64 { get }
    /// Makes a moment of a number that arrives untyped, as from a database or a command line.
    init(rawValue: UInt64)
}

extension Moment {
    /// Later than every moment that a clock shows, for "never".
    @inlinable package static var max: Self { Self(rawValue: .max) }

    package var description: String { "\(rawValue)" }

    /// Makes a moment that is known when the program is written.
    @inlinable package init(integerLiteral value: UInt64) { self.init(rawValue: value) }

    @inlinable package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// The moment a duration later; traps when no number can express it.
    @inlinable package static func + (moment: Self, duration: UInt64) -> Self { Self(rawValue: moment.rawValue + duration) }

    /// The moment a duration earlier; traps before the clock's zero.
    @inlinable package static func - (moment: Self, duration: UInt64) -> Self { Self(rawValue: moment.rawValue - duration) }

    /// The duration from an earlier moment to a later one; traps when they are the other way round.
    @inlinable package static func - (later: Self, earlier: Self) -> UInt64 { later.rawValue - earlier.rawValue }

    /// Moves the moment a duration later; traps when no number can express it.
    @inlinable package static func += (moment: inout Self, duration: UInt64) { moment = moment + duration }

    /// Returns the time since an earlier moment; 0 when it is in the future.
    @inlinable package func elapsed(since earlier: Self) -> UInt64 { self > earlier ? self - earlier : 0 }

    /// Returns the time from another moment to this one; negative when this one is earlier.
    package func offset(from other: Self) -> Int64 { Int64(clamping: rawValue) - Int64(clamping: other.rawValue) }

    /// Returns the time until a later moment; 0 when it has come.
    @inlinable package func remaining(until later: Self) -> UInt64 { later.elapsed(since: self) }

    /// The moment a duration later; `max` when no number can express it.
    @inlinable package func saturating(adding duration: UInt64) -> Self {
        let (sum, overflows) = rawValue.addingReportingOverflow(duration)
        return overflows ? .max : Self(rawValue: sum)
    }

    /// The moment a duration earlier; the clock's zero when it would be before that.
    @inlinable package func saturating(subtracting duration: UInt64) -> Self { Self(rawValue: rawValue - Swift.min(rawValue, duration)) }

    /// The moment a duration later, or earlier when it is negative; the clock's zero when it would be before that.
    package func advanced(by duration: Int64) -> Self {
        duration < 0 ? saturating(subtracting: duration.magnitude) : self + duration.magnitude
    }
}

/// A moment of the wall clock, in seconds since 1970-01-01T00:00:00Z.
@frozen package struct UnixSeconds: Moment {
    /// Seconds since 1970.
    @usableFromInline package let rawValue: UInt64

    /// Makes a moment of a number of seconds.
    @inlinable package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The moment in milliseconds; traps when no number can express it.
    package var milliseconds: UnixMilliseconds { UnixMilliseconds(rawValue: rawValue * 1000) }
}

/// A moment of the wall clock, in milliseconds since 1970-01-01T00:00:00Z.
@frozen package struct UnixMilliseconds: Moment {
    /// Milliseconds since 1970.
    @usableFromInline package let rawValue: UInt64

    /// Makes a moment of a number of milliseconds.
    @inlinable package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The second that the moment is in.
    package var seconds: UnixSeconds { UnixSeconds(rawValue: rawValue / 1000) }
}

/// A moment of a monotonic clock in milliseconds, from an arbitrary zero.
@frozen package struct MonotonicMilliseconds: Moment {
    /// Milliseconds since the clock's zero.
    @usableFromInline package let rawValue: UInt64

    /// Makes a moment of a number of milliseconds.
    @inlinable package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The millisecond that a moment in nanoseconds is in.
    package init(nanoseconds: UInt64) { rawValue = nanoseconds / 1_000_000 }
}
