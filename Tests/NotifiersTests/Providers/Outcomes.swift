import Core
import TestSupport
import Testing
import Threading

/// The outcomes of numbered attempts, each of which must end once.
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

    /// Waits until each has ended. Records an issue if one has ended twice or not at all; that one's outcome is replaced.
    func wait() -> [DeliveryOutcome] {
        _ = state.wait(timeoutMilliseconds: WaitLimit.programMilliseconds) { $0.missing == 0 ? true : nil }
        let found = state.withLock { $0 }
        #expect(found.missing == 0)
        #expect(found.repeated == 0)
        return found.outcomes.map { $0 ?? DeliveryOutcome(.dead, reason: "no_outcome") }
    }
}
