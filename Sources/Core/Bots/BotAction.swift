package enum BotAction: Sendable {
    case request(BotRequest)
    /// Hands the conversation to a support agent at the app's help desk.
    case handOff(BotHandOff)
}

/// The action of one call with its arguments filled in.
package enum BotFilledAction: Sendable {
    case request(BotFilledRequest)
    /// The message to support, and the ticket if one must be created.
    case handOff(TicketDraft)
}

extension BotFunction {
    /// Throws a sentence about an argument that is invalid for its parameter's position.
    package func filledAction(with arguments: BotArguments, of grant: BotGrant) throws(BotArgumentsProblem) -> BotFilledAction {
        switch action {
        case .request(let request): .request(try request.filled(with: arguments))
        case .handOff(let handOff): .handOff(try handOff.draft(of: grant.userID, with: arguments))
        }
    }

    /// Nil when the function makes no request.
    package var request: BotRequest? { if case .request(let request) = action { request } else { nil } }

    /// Whether it runs only once per start of the bot, even with other arguments.
    package var isOncePerStart: Bool { if case .handOff = action { true } else { false } }

    package var timeoutMilliseconds: Int {
        switch action {
        case .request(let request): request.timeoutMilliseconds
        case .handOff: BotHandOff.timeoutMilliseconds
        }
    }
}
