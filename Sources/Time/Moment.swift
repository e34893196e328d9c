/// A moment of one clock, as a count of its units. The types keep moments of different clocks and units apart; durations are plain `UInt64`
/// with the unit in their name. A moment has the layout of its number.
package protocol Moment: Sendable, Hashable, Comparable, ExpressibleByIntegerLiteral, CustomStringConvertible {
    /// Units since the clock's zero.
    var rawValue: UInt64 { get }
    /// For untyped numbers, as from a database or a command line.
    init(rawValue: UInt64)
}

extension Moment {
    /// Later than every time of a clock; stands for "never".
    @inlinable package static var max: Self { Self(rawValue: .max) }

    package var description: String { "\(rawValue)" }

    @inlinable package init(integerLiteral value: UInt64) { self.init(rawValue: value) }

    @inlinable package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// Traps on overflow.
    @inlinable package static func + (moment: Self, duration: UInt64) -> Self { Self(rawValue: moment.rawValue + duration) }

    /// Traps before the clock's zero.
    @inlinable package static func - (moment: Self, duration: UInt64) -> Self { Self(rawValue: moment.rawValue - duration) }

    /// Traps when `earlier` is later.
    @inlinable package static func - (later: Self, earlier: Self) -> UInt64 { later.rawValue - earlier.rawValue }

    /// Traps on overflow.
    @inlinable package static func += (moment: inout Self, duration: UInt64) { moment = moment + duration }

    /// Returns 0 when `earlier` is in the future.
    @inlinable package func elapsed(since earlier: Self) -> UInt64 { self > earlier ? self - earlier : 0 }

    /// Negative when this moment is earlier than `other`.
    package func offset(from other: Self) -> Int64 { Int64(clamping: rawValue) - Int64(clamping: other.rawValue) }

    /// Returns 0 when `later` has passed.
    @inlinable package func remaining(until later: Self) -> UInt64 { later.elapsed(since: self) }

    /// Returns `max` on overflow.
    @inlinable package func saturating(adding duration: UInt64) -> Self {
        let (sum, overflows) = rawValue.addingReportingOverflow(duration)
        return overflows ? .max : Self(rawValue: sum)
    }

    /// Returns the clock's zero on underflow.
    @inlinable package func saturating(subtracting duration: UInt64) -> Self { Self(rawValue: rawValue - Swift.min(rawValue, duration)) }

    /// Moves by a signed duration. Returns the clock's zero on underflow, traps on overflow.
    package func advanced(by duration: Int64) -> Self {
        duration < 0 ? saturating(subtracting: duration.magnitude) : self + duration.magnitude
    }
}

/// Seconds of the wall clock since 1970-01-01T00:00:00Z.
@frozen package struct UnixSeconds: Moment {
    @usableFromInline package let rawValue: UInt64

    @inlinable package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Traps on overflow.
    package var milliseconds: UnixMilliseconds { UnixMilliseconds(rawValue: rawValue * 1000) }
}

/// Milliseconds of the wall clock since 1970-01-01T00:00:00Z.
@frozen package struct UnixMilliseconds: Moment {
    @usableFromInline package let rawValue: UInt64

    @inlinable package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Rounds down.
    package var seconds: UnixSeconds { UnixSeconds(rawValue: rawValue / 1000) }
}

/// Milliseconds of a clock that never goes backward and cannot be set; its zero is arbitrary.
@frozen package struct MonotonicMilliseconds: Moment {
    @usableFromInline package let rawValue: UInt64

    @inlinable package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Rounds down.
    package init(nanoseconds: UInt64) { rawValue = nanoseconds / 1_000_000 }
}
