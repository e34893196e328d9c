internal import Glibc
internal import POSIX

package enum SystemClock {
    /// The wall clock, as people set it, in seconds.
    package static func unixSeconds() -> UnixSeconds {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME_COARSE, &time)
        return UnixSeconds(rawValue: UInt64(max(0, time.tv_sec)))
    }

    /// The wall clock, as people set it, in milliseconds.
    package static func unixMilliseconds() -> UnixMilliseconds {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return UnixMilliseconds(rawValue: UInt64(max(0, time.tv_sec)) * 1000 + UInt64(time.tv_nsec) / 1_000_000)
    }

    /// The wall clock in nanoseconds since 1970, for times that are shown beside the spans of other machines.
    package static func unixNanoseconds() -> UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return UInt64(max(0, time.tv_sec)) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Milliseconds since the machine started, of a clock that cannot be set and that continues during suspension.
    package static func bootMilliseconds() -> UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        return UInt64(time.tv_sec) * 1000 + UInt64(time.tv_nsec) / 1_000_000
    }

    /// Returns the kernel's id of the machine's start; empty when it is unknown.
    package static func boot() -> String {
        guard let contents = try? File.read("/proc/sys/kernel/random/boot_id", limit: 128) else { return "" }
        return String(validating: contents.bytes, as: UTF8.self)?.split(separator: "\n").first.map { String($0) } ?? ""
    }

    /// Nanoseconds of a clock that cannot be set, for measuring durations.
    package static func monotonicNanoseconds() -> UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Milliseconds of the same clock.
    package static func monotonicMilliseconds() -> MonotonicMilliseconds { MonotonicMilliseconds(nanoseconds: monotonicNanoseconds()) }
}
