internal import Core
internal import HelpDesk
internal import JSON
internal import Threading
internal import Time

/// Hands conversations over to support. Each job blocks until the help desk answers, so jobs run on separate threads, which apps and users
/// share.
final class HandOffCaller: Sendable {
    /// The maximum number of jobs that run at the same time and that wait: in all, of an app, and of a user. A user's jobs run one at a
    /// time, so that the second one finds the ticket of the first.
    private static let shares = (all: ShareBound(16, waiting: 256), app: ShareBound(8, waiting: 64), person: ShareBound(1, waiting: 4))

    private let tickets: @Sendable (_ appID: String) -> (any TicketDesk)?
    private let clock: @Sendable () -> MonotonicMilliseconds
    private let queue: WorkQueue

    /// - Parameter tickets: returns nil when the app's help desk has no tickets.
    init(_ clocks: Clocks, tickets: @escaping @Sendable (_ appID: String) -> (any TicketDesk)?) {
        (self.tickets, clock) = (tickets, clocks.monotonicMilliseconds)
        queue = WorkQueue(Self.shares.all, Self.shares.app, Self.shares.person)
    }

    /// Runs a job when it is the user's turn.
    /// - Parameter job: called exactly once, perhaps before this returns: with nil, or with the fault that prevents it from calling the
    ///   help desk. It may block only with nil.
    func submit(for person: CallWindows.Person, _ job: @escaping @Sendable (BackendFault?) -> Void) {
        let deadline = clock() + BotHandOff.queueMilliseconds
        let isQueued = queue.submit(for: person.share) { [clock] in
            job(clock() < deadline ? nil : BackendFault(.overloaded, mayBeDone: false))
        }
        if !isQueued { job(BackendFault(.overloaded, mayBeDone: false)) }
    }

    /// Calls the help desk of an app, and blocks.
    func perform(_ draft: TicketDraft, at appID: String) -> Result<FunctionAnswer, BackendFault> {
        // A reload may have removed the app.
        guard let desk = tickets(appID) else { return .failure(BackendFault(.internalError, mayBeDone: false)) }
        do throws(HandOffFailure) {
            return .success(FunctionAnswer(try desk.handOff(draft)))
        } catch {
            return error.failure.status < 500 ? .success(FunctionAnswer(error)) : .failure(BackendFault(error))
        }
    }

    /// Ends the threads. Call it once, when no more calls can arrive and the help desks' client is closed, so that no job blocks.
    func stop() { queue.stop() }
}

extension FunctionAnswer {
    fileprivate init(_ handOff: HandOff) {
        let channel: JSONValue = handOff.ticket.channel.map { .string($0) } ?? .null
        self.init(
            status: 200,
            ["status": "connected", "ticket_id": .integer(handOff.ticket.id), "channel": channel, "new": .bool(handOff.isNew)],
            changedNothing: false)
    }

    fileprivate init(_ error: HandOffFailure) {
        let reason =
            switch error.failure {
            case .limited, .unknownPerson: error.failure.message(isOfChange: true)
            default: "The help desk rejects this hand-off."
            }
        self.init(
            status: error.failure.status,
            ["error": .string(error.failure.code), "message": .string("\(reason) Nothing was changed; inform the customer.")],
            changedNothing: !error.mayBeDone)
    }
}

extension BackendFault {
    /// Converts a failure that the call did not cause.
    fileprivate init(_ error: HandOffFailure) {
        let reason: Reason =
            switch error.failure {
            case .overloaded: .overloaded
            case .unauthorized: .helpDeskToken
            // Only the shutdown of the service cancels requests.
            case .unavailable(reason: "cancelled"): .stopped
            case _ where !error.mayBeDone: .helpDeskAway
            case .unavailable(reason: "timeout"): .timeout
            default: .helpDeskUnavailable
            }
        self.init(reason, mayBeDone: error.mayBeDone)
    }
}
