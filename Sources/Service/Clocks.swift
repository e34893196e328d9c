internal import POSIX

/// The time, as a parameter: tests give their own.
package struct Clocks: Sendable {
    /// Seconds since 1970.
    package let unixSeconds: @Sendable () -> UInt64
    /// Milliseconds since 1970.
    package let unixMilliseconds: @Sendable () -> UInt64
    /// Nanoseconds of a clock that only goes forward.
    package let monotonicNanoseconds: @Sendable () -> UInt64

    /// Milliseconds of the same clock.
    package var monotonicMilliseconds: @Sendable () -> UInt64 { { [monotonicNanoseconds] in monotonicNanoseconds() / 1_000_000 } }

    /// Makes clocks of two functions, which any thread may call.
    package init(
        unixSeconds: @escaping @Sendable () -> UInt64,
        unixMilliseconds: (@Sendable () -> UInt64)? = nil,
        monotonicNanoseconds: @escaping @Sendable () -> UInt64 = { SystemClock.monotonicNanoseconds() }
    ) {
        self.unixSeconds = unixSeconds
        self.unixMilliseconds = unixMilliseconds ?? { unixSeconds() * 1000 }
        self.monotonicNanoseconds = monotonicNanoseconds
    }

    /// The machine's clocks.
    package static let system = Clocks(
        unixSeconds: { SystemClock.unixSeconds() }, unixMilliseconds: { SystemClock.unixMilliseconds() })
}
