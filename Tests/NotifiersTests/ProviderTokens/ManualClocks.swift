import Threading
import Time

/// Clocks that stand until the test moves them.
final class ManualClocks: Sendable {
    private let now: Monitor<UInt64>

    init(unixMilliseconds: UInt64 = 1_700_000_000_000) {
        now = Monitor(unixMilliseconds)
    }

    func pass(_ milliseconds: UInt64) { now.update { $0 += milliseconds } }
    func unixMilliseconds() -> UInt64 { now.withLock { $0 } }
    /// Another beginning, so that nobody takes one for the other.
    func monotonicMilliseconds() -> MonotonicMilliseconds { MonotonicMilliseconds(rawValue: now.withLock { $0 - 1_699_990_000_000 }) }

    /// These clocks, as services take them.
    var clocks: Clocks {
        Clocks(
            unixSeconds: { UnixMilliseconds(rawValue: self.unixMilliseconds()).seconds }, unixMilliseconds: { self.unixMilliseconds() },
            monotonicNanoseconds: { self.monotonicMilliseconds().rawValue * 1_000_000 })
    }
}
