internal import Core
internal import POSIX

/// The time, as a parameter: tests give their own.
package struct Clocks: Sendable {
    /// Seconds since 1970.
    package let unixSeconds: @Sendable () -> UInt64
    /// Milliseconds since 1970.
    package let unixMilliseconds: @Sendable () -> UInt64
    /// Nanoseconds of a clock that only goes forward.
    package let monotonicNanoseconds: @Sendable () -> UInt64
    /// How much of the time since 1970 is believed when it says that something is old.
    package let trusted: TrustedClock

    /// Milliseconds of the same clock.
    package var monotonicMilliseconds: @Sendable () -> UInt64 { { [monotonicNanoseconds] in monotonicNanoseconds() / 1_000_000 } }

    /// Makes clocks of functions, which any thread may call.
    /// - Parameters:
    ///   - sinceBoot: milliseconds since the machine started; without it every time is believed.
    ///   - boot: which start of the machine this is.
    package init(
        unixSeconds: @escaping @Sendable () -> UInt64,
        unixMilliseconds: (@Sendable () -> UInt64)? = nil,
        monotonicNanoseconds: @escaping @Sendable () -> UInt64 = { SystemClock.monotonicNanoseconds() },
        sinceBoot: (@Sendable () -> UInt64)? = nil, boot: String = "test"
    ) {
        let unixMilliseconds = unixMilliseconds ?? { unixSeconds() * 1000 }
        self.unixSeconds = unixSeconds
        self.unixMilliseconds = unixMilliseconds
        self.monotonicNanoseconds = monotonicNanoseconds
        trusted = TrustedClock {
            let wall = unixMilliseconds()
            return TrustedTime.Reading(wall: wall, sinceBoot: sinceBoot?() ?? wall, boot: boot)
        }
    }

    /// The machine's clocks, watched from now on.
    package static var system: Clocks {
        Clocks(
            unixSeconds: { SystemClock.unixSeconds() }, unixMilliseconds: { SystemClock.unixMilliseconds() },
            sinceBoot: { SystemClock.bootMilliseconds() }, boot: SystemClock.boot())
    }
}
