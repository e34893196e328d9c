internal import HTTP2Server
internal import Threading

/// The faults that have not happened yet; the first matching one is used. Tests may add faults at any time.
package final class FaultScript: Sendable {
    private struct State {
        var faults: [Fault] = []
        var handshakes: [HandshakeFault] = []
    }

    private let state: Monitor<State>

    package init(_ faults: [Fault] = [], handshakes: [HandshakeFault] = []) {
        state = Monitor(State(faults: faults, handshakes: handshakes))
    }

    /// Adds faults after the existing ones.
    package func add(_ faults: Fault...) {
        state.withLock { $0.faults += faults }
    }

    package func add(_ handshake: HandshakeFault) {
        state.withLock { $0.handshakes.append(handshake) }
    }

    package func removeAll() {
        state.withLock { $0 = State() }
    }

    /// The number of faults left, including unlimited ones.
    package var remaining: Int {
        state.withLock { $0.faults.count + $0.handshakes.count }
    }

    /// Returns the fault for this request, and counts it as used; nil for none.
    func next(_ provider: SimulatedProvider, _ subject: Fault.Subject) -> Fault? {
        state.withLock { state in
            guard !state.faults.isEmpty else { return nil }
            for index in state.faults.indices where state.faults[index].matches(provider, subject) {
                var fault = state.faults[index]
                let happens = Self.use(&fault.after, &fault.times)
                state.faults[index] = fault
                guard happens else { continue }
                if fault.times == 0 { state.faults.remove(at: index) }
                return fault
            }
            return nil
        }
    }

    /// Returns the opening of a new connection, and counts its fault as used.
    func opening(of provider: SimulatedProvider) -> HTTP2Opening {
        let effect: HandshakeFault.Effect? = state.withLock { state in
            for index in state.handshakes.indices where [nil, provider].contains(state.handshakes[index].provider) {
                var fault = state.handshakes[index]
                let happens = Self.use(&fault.after, &fault.times)
                state.handshakes[index] = fault
                guard happens else { continue }
                if fault.times == 0 { state.handshakes.remove(at: index) }
                return fault.effect
            }
            return nil
        }
        return switch effect {
        case nil: .serve
        case .slow(let milliseconds): .delayHandshake(milliseconds: milliseconds)
        case .stall: .delayHandshake(milliseconds: nil)
        case .close: .closeAfterHandshake
        case .reset: .reset
        case .garbage: .garbageAfterHandshake
        }
    }

    // Counts one match; returns whether the fault happens this time.
    private static func use(_ after: inout Int, _ times: inout Int?) -> Bool {
        if after > 0 {
            after -= 1
            return false
        }
        if let left = times { times = left - 1 }
        return true
    }
}
