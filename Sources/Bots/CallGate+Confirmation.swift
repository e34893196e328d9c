internal import Core
internal import Crypto
internal import HTTPServer
internal import HelpDesk
internal import JSON
internal import Time

// Confirmations
extension CallGate {
    /// Checks a change that the customer has confirmed; counts, logs and stores a refusal.
    /// - Parameter text: the confirmation.
    func decide(confirming text: String, by proven: AuthenticatedCaller, _ bot: ServedBot, _ state: BotsState) -> Decision {
        var function: ServedBot.Function?
        var holder: BotGrant?
        do throws(CallRefusal) {
            guard bot.definition.apps.contains(where: { Self.isSame($0, proven.appID) }) else { throw .foreignConfirmation("other_app") }
            let token = try confirmed(text, bot, appID: proven.appID, userID: proven.userID)
            function = bot.function(token.function)
            // The person's present key must be valid. The key with which the bot was started may be invalid, for example after a sign-out.
            try check(token.grant, state: state, caller: &holder, denied: CallRefusal.foreignConfirmation)
            guard let function else { throw .unknownFunction }
            guard function.definition.confirmation == .user else { throw .foreignConfirmation("not_by_user") }
            let arguments = try checked(token, function.definition)
            let action: BotFilledAction
            do throws(BotArgumentsProblem) {
                action = try function.definition.filledAction(with: arguments, of: token.grant)
            } catch {
                throw .invalid(error)
            }
            return .perform(
                AuthorizedBotCall(
                    bot: bot, function: function, caller: token.grant, arguments: arguments, byteCount: 0, action: action,
                    key: try Self.key(token, bot), context: proven.context))
        } catch {
            return .refuse(caller.refuse(error, bot: bot, function: function, caller: holder, context: proven.context))
        }
    }

    /// Verifies that a confirmation is valid now, for this bot and this user.
    func confirmed(_ text: String, _ bot: ServedBot, appID: String, userID: String) throws(CallRefusal) -> BotConfirmationToken {
        let now = services.sharedNow
        switch try Self.orRefuse({ () throws(CryptoError) in try BotConfirmationToken.verdict(on: text, for: bot.definition, now: now) }) {
        case .malformed: throw .malformedConfirmation
        case .expired: throw .expiredConfirmation
        case .forged: throw .foreignConfirmation("forged_confirmation")
        case .valid(let token):
            guard Self.isSame(token.grant.appID, appID), Self.isSame(token.grant.userID, userID) else {
                throw .foreignConfirmation("other_user")
            }
            return token
        }
    }

    /// Checks the arguments of a confirmation, which a reload may have invalidated.
    func checked(_ token: BotConfirmationToken, _ function: BotFunction) throws(CallRefusal) -> BotArguments {
        do throws(BotArgumentsProblem) {
            return try function.arguments(.object(token.arguments), of: token.grant)
        } catch {
            throw .invalid(error)
        }
    }

    func confirmationRefusal(_ token: BotConfirmationToken, bot: ServedBot, function: BotFunction) throws(CallRefusal) -> CallRefusal {
        try Self.orRefuse { () throws(CryptoError) in
            .confirmationRequired(try token.text(for: bot.definition), token, by: function.confirmation)
        }
    }

    func token(
        _ ticket: BotAccessToken, bot: ServedBot, function: BotFunction, arguments: BotArguments
    ) throws(CallRefusal) -> BotConfirmationToken {
        try Self.orRefuse { () throws(CryptoError) in
            let id =
                function.isOncePerStart
                ? try CallKey.confirmationID(ticket, bot: bot.definition.name, function: function.name) : try randomBytes()
            return BotConfirmationToken(ticket.grant, function: function.name, arguments: arguments.given, id: id)
        }
    }

    static func key(_ token: BotConfirmationToken, _ bot: ServedBot) throws(CallRefusal) -> [UInt8] {
        try orRefuse { () throws(CryptoError) in try CallKey.key(token, bot: bot.definition.name) }
    }

    /// Compares names as bytes.
    static func isSame(_ left: String, _ right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }

    static func orRefuse<Value>(_ body: () throws(CryptoError) -> Value) throws(CallRefusal) -> Value {
        do throws(CryptoError) {
            return try body()
        } catch {
            throw .undecided("internal_error")
        }
    }
}
