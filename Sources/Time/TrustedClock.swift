internal import Threading

/// The `TrustedTime` of a process and its notices. Safe on any thread.
package final class TrustedClock: Sendable {
    private struct State {
        var time: TrustedTime?
        var notices: [TrustedTime.Notice] = []
    }

    private let read: @Sendable () -> TrustedTime.Reading
    private let state = Monitor(State())

    /// - Parameter read: reads all clocks at one moment; runs under a lock and must not block.
    package init(_ read: @escaping @Sendable () -> TrustedTime.Reading) {
        self.read = read
    }

    package var time: TrustedTime {
        state.withLock { state in
            let reading = read()
            var time = state.time ?? TrustedTime(reading)
            if let notice = time.observe(reading) { state.notices.append(notice) }
            state.time = time
            return time
        }
    }

    /// Replaces the state by that of an earlier process; the next reading continues from there.
    package func restore(_ kept: TrustedTime) {
        state.withLock { $0.time = kept }
    }

    /// Returns the jumps detected since the last call, oldest first, for the log.
    package func takeNotices() -> [TrustedTime.Notice] {
        state.withLock { state in
            defer { state.notices = [] }
            return state.notices
        }
    }
}
