internal import Core
internal import Crypto
internal import HTTPServer
internal import HelpDesk
internal import JSON
internal import Threading
internal import Time

struct BotCallRequest {
    /// Nil when none was sent.
    let ticket: String?
    let function: String
    let isGet: Bool
    /// The confirmation, if the route has a separate member for it.
    let confirmation: String?
}

/// Checks calls before they are performed: ticket, function, arguments, limits and confirmation, in this order. It uses only memory, on the
/// thread that serves the request.
struct CallGate: Sendable {
    /// Parses the arguments of a call, or throws the fault. In either case sets the number of bytes that were read.
    typealias ArgumentReader = (_ byteCount: inout Int) throws(BotArgumentsProblem) -> ReceivedArguments

    private static let confirmationName = "confirmation"

    enum Decision {
        case perform(AuthorizedBotCall)
        case refuse(CallReply)
    }

    let services: HelpDeskServices
    let caller: BotCaller

    /// Facts about a call that are recorded with its refusal.
    private struct Findings {
        var caller: BotGrant?
        var arguments: BotArguments?
        /// The length of the arguments as received; 0 before they are read.
        var byteCount = 0
    }

    /// Checks a call with a ticket; counts, logs and stores a refusal.
    /// - Parameter readArguments: called at most once, and only after the ticket is verified, so that unauthenticated callers cause no
    ///   work.
    func decide(
        _ asked: BotCallRequest, bot: ServedBot, state: BotsState, context: RequestContext, readArguments: ArgumentReader
    ) -> Decision {
        let function = bot.function(asked.function)
        var findings = Findings()
        do throws(CallRefusal) {
            return .perform(
                try ready(
                    asked, bot: bot, function: function, state: state, context: context, findings: &findings, readArguments: readArguments))
        } catch {
            return .refuse(
                caller.refuse(
                    error, bot: bot, function: function, caller: findings.caller, context: context, arguments: findings.arguments,
                    byteCount: findings.byteCount))
        }
    }

    private func ready(
        _ asked: BotCallRequest, bot: ServedBot, function: ServedBot.Function?, state: BotsState, context: RequestContext,
        findings: inout Findings, readArguments: ArgumentReader
    ) throws(CallRefusal) -> AuthorizedBotCall {
        let ticket = try provenTicket(asked.ticket, bot: bot, state: state, caller: &findings.caller)
        let holder = ticket.grant
        guard let function else { throw .unknownFunction }
        if asked.isGet, function.definition.changesSomething { throw .notByGet }
        if let refusal = caller.refusalIfExhausted(of: holder, at: bot) { throw refusal }
        let (arguments, action, confirmation) = try read(
            asked, readArguments: readArguments, function: function.definition, grant: holder, byteCount: &findings.byteCount)
        findings.arguments = arguments
        guard arguments.canonical.count <= ReceivedArguments.longest else { throw .tooLong }
        if function.definition.confirmation != .none, let refusal = caller.refusal(function, of: bot, holder) { throw refusal }
        let key = try key(
            ticket, bot: bot, function: function.definition, arguments: arguments, confirmation: confirmation, state: state,
            caller: &findings.caller)
        return AuthorizedBotCall(
            bot: bot, function: function, caller: holder, arguments: arguments, byteCount: findings.byteCount, action: action, key: key,
            context: context)
    }

    /// Verifies that a ticket is valid now, for this bot, and that its user may use the chat.
    /// - Parameters:
    ///   - text: nil when none was sent.
    ///   - caller: set as in `check`.
    func provenTicket(
        _ text: String?, bot: ServedBot, state: BotsState, caller: inout BotGrant?
    ) throws(CallRefusal) -> BotAccessToken {
        let ticket = try ticket(text, bot)
        try check(ticket.grant, state: state, caller: &caller, denied: CallRefusal.denied)
        return ticket
    }

    private func ticket(_ text: String?, _ bot: ServedBot) throws(CallRefusal) -> BotAccessToken {
        guard let text, !text.isEmpty else { throw .noTicket }
        let now = services.sharedNow
        switch try Self.orRefuse({ () throws(CryptoError) in try BotAccessToken.verdict(on: text, for: bot.definition, now: now) }) {
        case .valid(let ticket): return ticket
        case .malformed: throw .malformedTicket
        case .expired: throw .expiredTicket
        case .forged: throw .denied("forged_ticket")
        case .otherBot: throw .denied("other_bot")
        case .otherApp: throw .denied("other_app")
        }
    }

    /// Rejects a ticket or a confirmation whose user may no longer use the chat, or whose security key is no longer valid.
    /// - Parameters:
    ///   - caller: set to the user, unless the user was forgotten; nothing is stored about a forgotten user.
    ///   - denied: creates the refusal for a reason.
    func check(
        _ grant: BotGrant, state: BotsState, caller: inout BotGrant?, denied: (String) -> CallRefusal
    ) throws(CallRefusal) {
        let (authorizer, revocations, now) = (state.shared.authorizer, services.revocations.current, services.clocks.unixSeconds())
        guard revocations.isKnown else { throw .undecided(UndecidedReason.revocationsUnknown.rawValue) }
        let isForgotten = try Self.orRefuse { () throws(CryptoError) in
            try revocations.isForgotten(appID: grant.appID.utf8.span, userID: grant.userID.utf8.span)
        }
        if isForgotten { throw denied("forgotten") }
        caller = grant
        let denial = try Self.orRefuse { () throws(CryptoError) in
            try authorizer.denial(of: grant, now: now, revocations: revocations)
        }
        if let denial { throw denied(denial.rawValue) }
    }

    /// Returns the checked arguments, the action, and the confirmation beside the arguments.
    private func read(
        _ asked: BotCallRequest, readArguments: ArgumentReader, function: BotFunction, grant: BotGrant, byteCount: inout Int
    ) throws(CallRefusal) -> (BotArguments, BotFilledAction, confirmation: String?) {
        do throws(BotArgumentsProblem) {
            var received = try readArguments(&byteCount)
            var confirmation = asked.confirmation
            if function.confirmation == .model {
                if let text = try received.takeText(Self.confirmationName) { confirmation = text }
            } else if confirmation != nil {
                throw BotArgumentsProblem("\(function.name) accepts no confirmation from a model")
            }
            let arguments = try function.arguments(received.value(for: function), of: grant)
            return (arguments, try function.filledAction(with: arguments, of: grant), confirmation)
        } catch {
            throw .invalid(error)
        }
    }

    /// Returns the deduplication key (`BotCall.key`); nil for a function that changes nothing.
    /// - Throws: a refusal, also the one that requests a confirmation.
    private func key(
        _ ticket: BotAccessToken, bot: ServedBot, function: BotFunction, arguments: BotArguments, confirmation: String?,
        state: BotsState, caller: inout BotGrant?
    ) throws(CallRefusal) -> [UInt8]? {
        guard function.changesSomething else { return nil }
        switch (function.confirmation, confirmation) {
        // The key of the confirmed call is used, so that a reload of the configuration does not allow a second call.
        case (.none, _) where function.isOncePerStart:
            return try Self.key(token(ticket, bot: bot, function: function, arguments: arguments), bot)
        case (.none, _):
            return try Self.orRefuse { () throws(CryptoError) in
                try CallKey.key(ticket, bot: bot.definition.name, function: function.name, arguments)
            }
        case (.model, let text?):
            let token = try confirmed(text, bot, appID: ticket.grant.appID, userID: ticket.grant.userID)
            // The confirmation may belong to an earlier start, with another key.
            try check(token.grant, state: state, caller: &caller, denied: CallRefusal.foreignConfirmation)
            guard Self.isSame(token.function, function.name),
                try checked(token, function).canonical == arguments.canonical
            else { throw .otherArguments }
            return try Self.key(token, bot)
        case (.model, nil), (.user, _):
            let token = try token(ticket, bot: bot, function: function, arguments: arguments)
            if function.isOncePerStart {
                // A completed call is answered again, even without a valid confirmation: a customer must not confirm a call that will not
                // be made.
                let key = try Self.key(token, bot)
                if bot.coalescer.withLock({ $0.hasAnswer(to: key) }) { return key }
            }
            throw try confirmationRefusal(token, bot: bot, function: function)
        }
    }
}
