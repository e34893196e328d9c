internal import Glibc

/// The time since some moment in the past, in milliseconds; it does not jump when somebody sets the clock.
package func monotonicMilliseconds() -> UInt64 {
    var now = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &now)
    return UInt64(now.tv_sec) * 1000 + UInt64(now.tv_nsec) / 1_000_000
}
