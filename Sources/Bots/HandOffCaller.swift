internal import Core
internal import HelpDesk
internal import JSON
internal import Threading
internal import Time

/// Hands conversations over to people of support. Whoever does waits for the help desk, so it has threads of its own, which apps and people
/// share.
final class HandOffCaller: Sendable {
    /// Bounds of concurrent and of waiting calls of a help desk: in total, for an app, and for a person. One at a time of a person, so that
    /// the second one finds the ticket of the first.
    private static let shares = (all: ShareBound(16, waiting: 256), app: ShareBound(8, waiting: 64), person: ShareBound(1, waiting: 4))

    private let tickets: @Sendable (_ appID: String) -> (any TicketDesk)?
    private let clock: @Sendable () -> MonotonicMilliseconds
    private let queue: WorkQueue

    /// - Parameter tickets: those of an app; nil when its help desk has none.
    init(_ clocks: Clocks, tickets: @escaping @Sendable (_ appID: String) -> (any TicketDesk)?) {
        (self.tickets, clock) = (tickets, clocks.monotonicMilliseconds)
        queue = WorkQueue(Self.shares.all, Self.shares.app, Self.shares.person)
    }

    /// Has a job run when it is the person's turn.
    /// - Parameter job: called exactly once, with what keeps it from asking the help desk or nil, perhaps before this returns; only with
    ///   nil may it block.
    func submit(for person: CallWindows.Person, _ job: @escaping @Sendable (BackendFault?) -> Void) {
        let deadline = clock() + BotHandOff.queueMilliseconds
        let isQueued = queue.submit(for: person.share) { [clock] in
            job(clock() < deadline ? nil : BackendFault(.overloaded, mayBeDone: false))
        }
        if !isQueued { job(BackendFault(.overloaded, mayBeDone: false)) }
    }

    /// Asks the help desk of an app, and waits.
    func perform(_ draft: TicketDraft, at appID: String) -> Result<FunctionAnswer, BackendFault> {
        // A reload may have removed the app.
        guard let desk = tickets(appID) else { return .failure(BackendFault(.internalError, mayBeDone: false)) }
        do throws(HandOffFailure) {
            return .success(FunctionAnswer(try desk.handOff(draft)))
        } catch {
            return error.failure.status < 500 ? .success(FunctionAnswer(error)) : .failure(BackendFault(error))
        }
    }

    /// Ends the threads. Call it once, when no call can come any more and the help desks' client is closed, so that nothing is waited for.
    func stop() { queue.stop() }
}

extension FunctionAnswer {
    /// Tells the model and the app of a hand-off.
    fileprivate init(_ handOff: HandOff) {
        let channel: JSONValue = handOff.ticket.channel.map { .string($0) } ?? .null
        self.init(
            status: 200,
            ["status": "connected", "ticket_id": .integer(handOff.ticket.id), "channel": channel, "new": .bool(handOff.isNew)],
            changedNothing: false)
    }

    /// Tells the model why the help desk has refused a hand-off.
    fileprivate init(_ error: HandOffFailure) {
        let reason =
            switch error.failure {
            case .limited, .unknownPerson: error.failure.message(isOfChange: true)
            default: "The help desk does not take this hand-off."
            }
        self.init(
            status: error.failure.status,
            ["error": .string(error.failure.code), "message": .string("\(reason) Nothing was changed; inform the customer.")],
            changedNothing: !error.mayBeDone)
    }
}

extension BackendFault {
    /// Takes a failure that is not the call's fault.
    fileprivate init(_ error: HandOffFailure) {
        let reason: Reason =
            switch error.failure {
            case .overloaded: .overloaded
            case .unauthorized: .helpDeskToken
            // Only a stop of the service cancels requests.
            case .unavailable(reason: "cancelled"): .stopped
            case _ where !error.mayBeDone: .helpDeskAway
            case .unavailable(reason: "timeout"): .timeout
            default: .helpDeskUnavailable
            }
        self.init(reason, mayBeDone: error.mayBeDone)
    }
}
