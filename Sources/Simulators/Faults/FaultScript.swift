internal import HTTP2Server
internal import Threading

/// The faults that are still to happen; the first that matches does. Tests may add to it at any time.
package final class FaultScript: Sendable {
    private struct State {
        var faults: [Fault] = []
        var handshakes: [HandshakeFault] = []
    }

    private let state: Monitor<State>

    /// Makes a script.
    package init(_ faults: [Fault] = [], handshakes: [HandshakeFault] = []) {
        state = Monitor(State(faults: faults, handshakes: handshakes))
    }

    /// Adds faults behind those that are there.
    package func add(_ faults: Fault...) {
        state.withLock { $0.faults += faults }
    }

    /// Adds a fault of the connections to come.
    package func add(_ handshake: HandshakeFault) {
        state.withLock { $0.handshakes.append(handshake) }
    }

    /// Everything works again.
    package func removeAll() {
        state.withLock { $0 = State() }
    }

    /// How many faults are left, those for ever included.
    package var remaining: Int {
        state.withLock { $0.faults.count + $0.handshakes.count }
    }

    /// What happens to this request.
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

    /// What happens to a new connection.
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

    // Whether it happens this time.
    private static func use(_ after: inout Int, _ times: inout Int?) -> Bool {
        if after > 0 {
            after -= 1
            return false
        }
        if let left = times { times = left - 1 }
        return true
    }
}
