internal import Core
internal import Threading
internal import Time

/// How often one customer may ask about tickets, so that nobody alone uses up what Sendbird lets the app ask. Kept in memory: each process counts
/// for itself.
final class TicketLimits: Sendable {
    /// Of all calls.
    static let calls = LimitRule(per: .user, max: 60, windowMilliseconds: 60_000)
    /// Of new tickets.
    static let creations = LimitRule(per: .user, max: 10, windowMilliseconds: 3_600_000)

    private struct State {
        var calls = CallWindows(rules: [TicketLimits.calls], userLimit: mostPeople)
        var creations = CallWindows(rules: [TicketLimits.creations], userLimit: mostPeople)
    }

    private static let mostPeople = 10_000

    private let state = Monitor(State())

    /// Counts a call, unless a limit is reached.
    /// - Returns: the rule that refuses it, and when it allows the next call.
    func take(_ caller: ByteKey, isCreation: Bool, now: UnixMilliseconds) -> (rule: LimitRule, until: UnixMilliseconds)? {
        state.withLock { state in
            if let refusal = state.calls.refusal(of: caller, now: now) { return refusal }
            if isCreation {
                if let refusal = state.creations.refusal(of: caller, now: now) { return refusal }
                state.creations.record(caller, now: now)
            }
            state.calls.record(caller, now: now)
            return nil
        }
    }
}
