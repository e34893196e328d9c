internal import CMicrohttpd
internal import Glibc

/// The number of processors that this process may run on, at least 1: that of its affinity mask, not of the machine.
package func availableProcessors() -> Int {
    Int(shim_available_processors())
}

/// The coarse monotonic clock in milliseconds, accurate to a few milliseconds: for deadlines, without a system call.
func coarseMilliseconds() -> UInt64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
    return UInt64(time.tv_sec) * 1000 + UInt64(time.tv_nsec) / 1_000_000
}
