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
        var calls: BoundedTable<ByteKey, CallTimes>
        var creations: BoundedTable<ByteKey, CallTimes>
    }

    private static let mostPeople = 10_000

    private let state = Monitor(State(calls: BoundedTable(limit: mostPeople), creations: BoundedTable(limit: mostPeople)))

    /// Counts a call, unless a limit is reached.
    /// - Returns: the rule that refuses it, and when it allows the next call.
    func take(_ caller: ByteKey, isCreation: Bool, now: UnixMilliseconds) -> (rule: LimitRule, until: UnixMilliseconds)? {
        state.withLock { state in
            let (calls, creations) = (state.calls[caller] ?? CallTimes(), state.creations[caller] ?? CallTimes())
            if let until = Self.calls.allowedAt(earliest: calls.earliest(ofLast: Self.calls.max), now: now) { return (Self.calls, until) }
            if isCreation {
                let earliest = creations.earliest(ofLast: Self.creations.max)
                if let until = Self.creations.allowedAt(earliest: earliest, now: now) { return (Self.creations, until) }
                state.creations.insert(creations.adding(now, keeping: Self.creations.max), for: caller)
            }
            state.calls.insert(calls.adding(now, keeping: Self.calls.max), for: caller)
            return nil
        }
    }
}
