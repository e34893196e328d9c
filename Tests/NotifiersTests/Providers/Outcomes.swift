import Core
import Testing
import Threading

/// The outcomes of numbered tries, each of which must end once.
final class Outcomes: Sendable {
    private struct State {
        var outcomes: [DeliveryOutcome?]
        var missing: Int
        var repeated = 0
    }

    private let state: Monitor<State>

    init(_ count: Int) {
        state = Monitor(State(outcomes: Array(repeating: nil, count: count), missing: count))
    }

    func add(_ outcome: DeliveryOutcome, _ number: Int) {
        state.update { state in
            if state.outcomes[number] == nil { state.missing -= 1 } else { state.repeated += 1 }
            state.outcomes[number] = outcome
        }
    }

    /// Waits until each has ended; records a failure when one has ended twice.
    func wait() -> [DeliveryOutcome] {
        let found = state.wait(timeoutMilliseconds: 300_000) { $0.missing == 0 ? $0 : nil }
        guard let found else { fatalError("tries have not ended within five minutes") }
        #expect(found.repeated == 0)
        return found.outcomes.compactMap(\.self)
    }
}
