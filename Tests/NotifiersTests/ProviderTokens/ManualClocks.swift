import Threading
import Time

final class ManualClocks: Sendable {
    private let now: Monitor<UnixMilliseconds>

    init(unixMilliseconds: UnixMilliseconds = 1_700_000_000_000) {
        now = Monitor(unixMilliseconds)
    }

    func pass(_ milliseconds: UInt64) { now.update { $0 += milliseconds } }
    func unixMilliseconds() -> UnixMilliseconds { now.withLock { $0 } }
    /// Starts at another value, so that tests detect clocks that are mixed up.
    func monotonicMilliseconds() -> MonotonicMilliseconds {
        MonotonicMilliseconds(rawValue: unixMilliseconds() - (1_699_990_000_000 as UnixMilliseconds))
    }

    /// These clocks as the type that services accept.
    var clocks: Clocks {
        Clocks(
            unixSeconds: { self.unixMilliseconds().seconds }, unixMilliseconds: { self.unixMilliseconds() },
            monotonicNanoseconds: { self.monotonicMilliseconds().rawValue * 1_000_000 })
    }
}
