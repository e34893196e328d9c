import Glibc

/// A moment in UTC with the precision of a log line.
package struct WallTime: Sendable {
    /// Seconds since 1970-01-01T00:00:00Z.
    package let seconds: Int64
    /// The part of a second, 0 to 999.
    package let milliseconds: Int

    /// A moment; traps when the milliseconds are not between 0 and 999.
    package init(seconds: Int64, milliseconds: Int = 0) {
        precondition((0..<1000).contains(milliseconds), "milliseconds are between 0 and 999")
        self.seconds = seconds
        self.milliseconds = milliseconds
    }

    /// A moment in Unix milliseconds.
    package init(unixMilliseconds: UInt64) {
        self.init(seconds: Int64(unixMilliseconds / 1000), milliseconds: Int(unixMilliseconds % 1000))
    }

    /// RFC 3339 text in UTC with milliseconds: `2026-03-10T08:15:12.123Z`.
    package var text: String {
        var output: [UInt8] = []
        Timestamp.append(self, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    /// The system's wall clock, clock_gettime(2) with CLOCK_REALTIME; it jumps when the system's time is set.
    package static func now() -> WallTime {
        var time = timespec()
        // It fails only for a clock that does not exist or an address that is not mapped.
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return WallTime(seconds: Int64(time.tv_sec), milliseconds: time.tv_nsec / 1_000_000)
    }
}
