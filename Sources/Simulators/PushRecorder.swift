package import JSON
internal import Threading

package final class PushRecorder: Sendable {
    private struct State {
        var ring: [SimulatedPush] = []
        var count = 0
    }

    private let state = Monitor(State())
    private let capacity: Int
    private let observer: @Sendable (SimulatedPush) -> Void

    /// - Parameters:
    ///   - capacity: the number of pushes that are stored; the oldest are dropped first.
    ///   - observer: called for each push on a simulator's thread; must not block for long.
    package init(capacity: Int = 10_000, observer: @escaping @Sendable (SimulatedPush) -> Void = { _ in }) {
        precondition(capacity > 0, "a recorder must have a capacity")
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

    package var count: Int { state.withLock { $0.count } }

    /// The recorded pushes, the oldest first.
    package var pushes: [SimulatedPush] {
        state.withLock { state in
            let start = state.count > capacity ? state.count % capacity : 0
            return Array(state.ring[start...] + state.ring[..<start])
        }
    }

    /// Waits until `count` pushes have been accepted.
    /// - Returns: false on timeout.
    package func wait(for count: Int, milliseconds: UInt64 = 120_000) -> Bool {
        state.wait(timeoutMilliseconds: milliseconds) { $0.count >= count ? true : nil } != nil
    }
}

/// An accepted push, as the phone would receive it.
package struct SimulatedPush: Sendable {
    package let provider: SimulatedProvider
    package let token: String
    /// The provider's id of the push: `apns-id`, or the message's name.
    package let id: String
    /// The title that the phone shows; empty for none.
    package let title: String
    /// The text that the phone shows; empty for none.
    package let body: String
    /// The request's headers without credentials, with names in lower case.
    package let headers: [(name: String, value: String)]
    package let payload: JSONValue
    /// Whether it was a dry run, so that the phone receives no message.
    package let isDryRun: Bool
}
