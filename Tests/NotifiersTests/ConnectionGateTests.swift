import HTTPClient
import Testing
import Threading

@testable import Notifiers

@Suite struct ConnectionGateTests {
    /// The granted passes, in order.
    private final class Passes: Sendable {
        private let passes = Monitor<[ConnectionGate.Pass]>([])
        var all: [ConnectionGate.Pass] { passes.withLock { $0 } }
        func enter(_ gate: ConnectionGate, _ count: Int = 1) {
            for _ in 0..<count { gate.enter { pass in self.passes.update { $0.append(pass) } } }
        }
    }

    private let gate = ConnectionGate()
    private let passes = Passes()

    @Test func `one request goes first`() {
        passes.enter(gate, 5)
        #expect(passes.all.map(\.isProbe) == [true])
        gate.leave(passes.all[0], .proved)
        #expect(passes.all.map(\.isProbe) == [true, false, false, false, false])
        passes.enter(gate)
        #expect(passes.all.count == 6)
    }

    @Test func `an inconclusive result permits the next one`() {
        passes.enter(gate, 3)
        gate.leave(passes.all[0], .unclear)
        #expect(passes.all.map(\.isProbe) == [true, true])
        gate.leave(passes.all[1], .lost)
        #expect(passes.all.map(\.isProbe) == [true, true, true])
    }

    @Test func `after a loss one request goes first again`() {
        passes.enter(gate, 3)
        gate.leave(passes.all[0], .proved)
        gate.leave(passes.all[1], .lost)
        passes.enter(gate, 2)
        #expect(passes.all.map(\.isProbe) == [true, false, false, true])
        // A request from before the loss does not prove the new connection.
        gate.leave(passes.all[2], .proved)
        #expect(passes.all.count == 4)
        gate.leave(passes.all[3], .proved)
        #expect(passes.all.count == 5)
    }

    @Test func `after a pause one request goes first again`() {
        passes.enter(gate, 2)
        gate.leave(passes.all[0], .proved)
        gate.leave(passes.all[1], .proved)
        passes.enter(gate, 2)
        #expect(passes.all.map(\.isProbe) == [true, false, true])
    }

    @Test func `failures show the state of the connection`() {
        for error in [ClientError.reset, .closedEarly, .malformedResponse, .connect, .timeout(.waiting)] {
            #expect(ConnectionGate.Finding(.failure(error)) == .lost)
        }
        for error in [ClientError.overloaded, .cancelled, .timeout(.queued)] {
            #expect(ConnectionGate.Finding(.failure(error)) == .unclear)
        }
    }
}
