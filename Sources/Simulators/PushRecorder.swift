internal import Threading

/// The last pushes that were accepted, for tests to look at.
package final class PushRecorder: Sendable {
    private struct State {
        var ring: [SimulatedPush] = []
        var count = 0
    }

    private let state = Monitor(State())
    private let capacity: Int
    private let observer: @Sendable (SimulatedPush) -> Void

    /// Makes one that is empty.
    /// - Parameters:
    ///   - capacity: how many are kept; the oldest go first.
    ///   - observer: told of each on a simulator's thread: it must not block for long.
    package init(capacity: Int = 10_000, observer: @escaping @Sendable (SimulatedPush) -> Void = { _ in }) {
        precondition(capacity > 0, "a recorder keeps something")
        self.capacity = capacity
        self.observer = observer
    }

    func record(_ push: SimulatedPush) {
        state.update { state in
            if state.ring.count < capacity { state.ring.append(push) } else { state.ring[state.count % capacity] = push }
            state.count += 1
        }
        observer(push)
    }

    /// How many have been accepted so far.
    package var count: Int { state.withLock { $0.count } }

    /// Those that are kept, the oldest first.
    package var pushes: [SimulatedPush] {
        state.withLock { state in
            let start = state.count > capacity ? state.count % capacity : 0
            return Array(state.ring[start...] + state.ring[..<start])
        }
    }

    /// Waits until so many have been accepted.
    /// - Returns: false when they had not in time.
    package func wait(for count: Int, milliseconds: UInt64 = 20_000) -> Bool {
        state.wait(timeoutMilliseconds: milliseconds) { $0.count >= count ? true : nil } != nil
    }
}
