internal import Threading

/// Keeps the `TrustedTime` of a process up to date and collects its notices; any thread may call it.
package final class TrustedClock: Sendable {
    private struct State {
        var time: TrustedTime?
        var notices: [TrustedTime.Notice] = []
    }

    private let read: @Sendable () -> TrustedTime.Reading
    private let state = Monitor(State())

    /// Makes a clock that has read nothing yet.
    /// - Parameter read: reads the clocks at one moment; runs under a lock and must not block.
    package init(_ read: @escaping @Sendable () -> TrustedTime.Reading) {
        self.read = read
    }

    /// Reads the clocks and returns the updated state.
    package var time: TrustedTime {
        state.withLock { state in
            let reading = read()
            var time = state.time ?? TrustedTime(reading)
            if let notice = time.observe(reading) { state.notices.append(notice) }
            state.time = time
            return time
        }
    }

    /// Replaces the state by an earlier process's; the next reading continues from there.
    package func restore(_ kept: TrustedTime) {
        state.withLock { $0.time = kept }
    }

    /// Returns the jumps that were noticed since the last call, the oldest first, for the log.
    package func takeNotices() -> [TrustedTime.Notice] {
        state.withLock { state in
            defer { state.notices = [] }
            return state.notices
        }
    }
}
