package import JSON
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

/// A push that was accepted, as the phone would get it.
package struct SimulatedPush: Sendable {
    /// Who accepted it.
    package let provider: SimulatedProvider
    /// The device's push token.
    package let token: String
    /// What the provider calls it: `apns-id`, or the message's name.
    package let id: String
    /// The title that the phone shows; empty for none.
    package let title: String
    /// The text that the phone shows; empty for none.
    package let body: String
    /// The headers of the request, names in lower case, without its credentials.
    package let headers: [(name: String, value: String)]
    /// The body of the request.
    package let payload: JSONValue
    /// Whether it was to be checked only, so that the phone gets nothing.
    package let isDryRun: Bool
}
