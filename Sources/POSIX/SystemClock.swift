internal import Glibc

/// The clocks of the machine.
package enum SystemClock {
    /// Seconds since 1970, as people set them.
    package static func unixSeconds() -> UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME_COARSE, &time)
        return UInt64(max(0, time.tv_sec))
    }

    /// Milliseconds since 1970, as people set them.
    package static func unixMilliseconds() -> UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return UInt64(max(0, time.tv_sec)) * 1000 + UInt64(time.tv_nsec) / 1_000_000
    }

    /// Nanoseconds of a clock that nobody sets, for measuring durations.
    package static func monotonicNanoseconds() -> UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
