internal import Glibc
internal import POSIX

package enum SystemClock {
    /// The wall clock.
    package static func unixSeconds() -> UnixSeconds {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME_COARSE, &time)
        return UnixSeconds(rawValue: UInt64(max(0, time.tv_sec)))
    }

    /// The wall clock.
    package static func unixMilliseconds() -> UnixMilliseconds {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return UnixMilliseconds(rawValue: UInt64(max(0, time.tv_sec)) * 1000 + UInt64(time.tv_nsec) / 1_000_000)
    }

    /// The wall clock since 1970, for comparison with the spans of other machines.
    package static func unixNanoseconds() -> UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return UInt64(max(0, time.tv_sec)) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Time since the machine started, including suspension; cannot be set.
    package static func bootMilliseconds() -> UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        return UInt64(time.tv_sec) * 1000 + UInt64(time.tv_nsec) / 1_000_000
    }

    /// The kernel's id of this boot; empty when it cannot be read.
    package static func boot() -> String {
        guard let contents = try? File.read("/proc/sys/kernel/random/boot_id", limit: 128) else { return "" }
        return String(validating: contents.bytes, as: UTF8.self)?.split(separator: "\n").first.map { String($0) } ?? ""
    }

    /// A clock that cannot be set, for measuring durations.
    package static func monotonicNanoseconds() -> UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    package static func monotonicMilliseconds() -> MonotonicMilliseconds { MonotonicMilliseconds(nanoseconds: monotonicNanoseconds()) }
}
