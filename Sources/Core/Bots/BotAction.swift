/// A function's work: a request, or a hand-off.
package enum BotAction: Sendable {
    case request(BotRequest)
    /// The hand-off to a person of support, at the app's help desk.
    case handOff(BotHandOff)
}

/// The work of one call, with the arguments in their places.
package enum BotFilledAction: Sendable {
    case request(BotFilledRequest)
    /// The message to support, and the ticket if one must be made.
    case handOff(TicketDraft)
}

extension BotFunction {
    /// Returns the action of a call with these arguments.
    /// - Throws: a sentence about an argument that does not fit into its place.
    package func filledAction(with arguments: BotArguments, of grant: BotGrant) throws(BotArgumentsProblem) -> BotFilledAction {
        switch action {
        case .request(let request): .request(try request.filled(with: arguments))
        case .handOff(let handOff): .handOff(try handOff.draft(of: grant.userID, with: arguments))
        }
    }

    /// The request to the company's backend; nil for a function that makes none.
    package var request: BotRequest? { if case .request(let request) = action { request } else { nil } }

    /// Whether a start of the bot has it performed once, whatever the arguments of a second call are.
    package var isOncePerStart: Bool { if case .handOff = action { true } else { false } }

    /// The timeout in milliseconds.
    package var timeoutMilliseconds: Int {
        switch action {
        case .request(let request): request.timeoutMilliseconds
        case .handOff: BotHandOff.timeoutMilliseconds
        }
    }
}
