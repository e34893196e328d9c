/// The clocks of a service, as a value, so that tests can replace them.
package struct Clocks: Sendable {
    package let unixSeconds: @Sendable () -> UnixSeconds
    package let unixMilliseconds: @Sendable () -> UnixMilliseconds
    /// Nanoseconds of a clock that never goes backward and cannot be set; its zero is arbitrary.
    package let monotonicNanoseconds: @Sendable () -> UInt64
    /// Detects jumps of the wall clock, and computes ages by trusted time.
    package let trusted: TrustedClock

    package var monotonicMilliseconds: @Sendable () -> MonotonicMilliseconds {
        { [monotonicNanoseconds] in MonotonicMilliseconds(nanoseconds: monotonicNanoseconds()) }
    }

    /// The functions may be called on any thread at any time.
    /// - Parameters:
    ///   - unixMilliseconds: by default the start of the second of `unixSeconds`.
    ///   - sinceBoot: milliseconds since the machine started, including suspension; by default the wall clock itself, which therefore never
    ///     jumps.
    ///   - boot: the kernel's boot id.
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

    /// The machine's clocks. Each access makes a new `TrustedClock`, which detects jumps from its first reading on.
    package static var system: Clocks {
        Clocks(
            unixSeconds: { SystemClock.unixSeconds() }, unixMilliseconds: { SystemClock.unixMilliseconds() },
            sinceBoot: { SystemClock.bootMilliseconds() }, boot: SystemClock.boot())
    }
}
