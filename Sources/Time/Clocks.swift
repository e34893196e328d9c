/// The clocks that a service reads, as a value, so that tests can supply their own.
package struct Clocks: Sendable {
    package let unixSeconds: @Sendable () -> UnixSeconds
    /// The wall clock, in milliseconds.
    package let unixMilliseconds: @Sendable () -> UnixMilliseconds
    /// Nanoseconds of a monotonic clock, from an arbitrary zero.
    package let monotonicNanoseconds: @Sendable () -> UInt64
    /// Watches the wall clock for jumps; decides how much of it counts when something's age is asked.
    package let trusted: TrustedClock

    /// Milliseconds of the monotonic clock.
    package var monotonicMilliseconds: @Sendable () -> MonotonicMilliseconds {
        { [monotonicNanoseconds] in MonotonicMilliseconds(nanoseconds: monotonicNanoseconds()) }
    }

    /// Makes clocks of functions, which any thread calls at any time.
    /// - Parameters:
    ///   - unixMilliseconds: by default the beginning of the second of `unixSeconds`.
    ///   - sinceBoot: milliseconds since the machine started, with suspension; by default the wall clock itself, which therefore never
    ///     jumps.
    ///   - boot: the kernel's identifier of this start of the machine.
    package init(
        unixSeconds: @escaping @Sendable () -> UnixSeconds,
        unixMilliseconds: (@Sendable () -> UnixMilliseconds)? = nil,
        monotonicNanoseconds: @escaping @Sendable () -> UInt64 = { SystemClock.monotonicNanoseconds() },
        sinceBoot: (@Sendable () -> UInt64)? = nil, boot: String = "test"
    ) {
        let unixMilliseconds = unixMilliseconds ?? { unixSeconds().milliseconds }
        self.unixSeconds = unixSeconds
        self.unixMilliseconds = unixMilliseconds
        self.monotonicNanoseconds = monotonicNanoseconds
        trusted = TrustedClock {
            let wall = unixMilliseconds()
            return TrustedTime.Reading(wall: wall, sinceBoot: sinceBoot?() ?? wall.rawValue, boot: boot)
        }
    }

    /// The machine's clocks. Each call makes a `TrustedClock` of its own, which notices jumps from its first reading on.
    package static var system: Clocks {
        Clocks(
            unixSeconds: { SystemClock.unixSeconds() }, unixMilliseconds: { SystemClock.unixMilliseconds() },
            sinceBoot: { SystemClock.bootMilliseconds() }, boot: SystemClock.boot())
    }
}
