internal import Core
internal import Threading
internal import Time

/// The rate limits of one customer's calls about tickets, so that no single customer uses up the app's limit at Sendbird. Kept in memory:
/// each process counts separately.
final class TicketLimits: Sendable {
    static let calls = LimitRule(per: .user, max: 60, windowMilliseconds: 60_000)
    static let creations = LimitRule(per: .user, max: 10, windowMilliseconds: 3_600_000)

    private struct State {
        var calls = CallWindows([TicketLimits.calls], personLimit: maximumPersons)
        var creations = CallWindows([TicketLimits.creations], personLimit: maximumPersons)
    }

    private static let maximumPersons = 10_000

    private let state = Monitor(State())

    /// Uncounts a new ticket that was certainly not created. The call remains counted.
    func giveBackCreation(_ person: CallWindows.Person, at time: UnixMilliseconds) {
        state.withLock { $0.creations.giveBack(person, at: time) }
    }

    /// Counts a call, unless a limit rejects it.
    func take(_ person: CallWindows.Person, isCreation: Bool, now: UnixMilliseconds) -> LimitRefusal? {
        state.withLock { state in
            if let refusal = state.calls.refusal(of: person, now: now) { return refusal }
            if isCreation, let refusal = state.creations.take(person, now: now) { return refusal }
            state.calls.record(person, now: now)
            return nil
        }
    }
}
