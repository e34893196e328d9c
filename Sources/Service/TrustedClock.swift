internal import Core
internal import Threading

/// Watches the clocks for jumps; any thread may ask it.
package final class TrustedClock: Sendable {
    private struct State {
        var time: TrustedTime?
        var notices: [TrustedTime.Notice] = []
    }

    private let read: @Sendable () -> TrustedTime.Reading
    private let state = Monitor(State())

    /// - Parameter read: reads the clocks at one moment; must not block.
    init(_ read: @escaping @Sendable () -> TrustedTime.Reading) {
        self.read = read
    }

    /// What is known of the clocks by now.
    var time: TrustedTime {
        state.withLock { state in
            let reading = read()
            var time = state.time ?? TrustedTime(reading)
            if let notice = time.observe(reading) { state.notices.append(notice) }
            state.time = time
            return time
        }
    }

    /// Goes on with what an earlier process knew.
    func restore(_ kept: TrustedTime) {
        state.withLock { $0.time = kept }
    }

    /// Takes what was noticed since the last call, for the log.
    func takeNotices() -> [TrustedTime.Notice] {
        state.withLock { state in
            defer { state.notices = [] }
            return state.notices
        }
    }
}
