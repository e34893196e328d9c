internal import Core
internal import Crypto
internal import HelpDesk

struct AuthorizedBotCall: Sendable {
    let bot: ServedBot
    let function: ServedBot.Function
    /// The user of the call, proven by a ticket or a confirmation.
    let caller: BotGrant
    let arguments: BotArguments
    /// The received length in bytes; 0 for a confirmation that a user has sent with the security key.
    let byteCount: Int
    let action: BotFilledAction
    /// The deduplication key (`BotCall.key`); nil for a function that changes nothing.
    let key: [UInt8]?
    let context: RequestContext

    /// The maximum time until the answer, including the time of the store.
    var timeoutMilliseconds: UInt64 {
        UInt64(function.definition.timeoutMilliseconds) + (key == nil ? 0 : BotCaller.storeMilliseconds) + BotCaller.marginMilliseconds
    }
}

extension BotGrant {
    var person: CallWindows.Person { CallWindows.Person(appID: appID, userID: userID) }
}

enum CallKey {
    /// Returns the key of a call with a ticket. Calls of the same function with the same arguments after the same start have equal keys.
    static func key(_ ticket: BotAccessToken, bot: String, function: String, _ arguments: BotArguments) throws(CryptoError) -> [UInt8] {
        var bytes: [UInt8] = []
        for part in ["call", bot, ticket.grant.appID, ticket.grant.userID, "\(ticket.startID)", function] { append(part, to: &bytes) }
        bytes += arguments.canonical
        return try sha256(bytes.span)
    }

    /// Returns the common id for all confirmations of a function that may run only once per start, so that any two of them are the same
    /// call.
    static func confirmationID(_ ticket: BotAccessToken, bot: String, function: String) throws(CryptoError) -> InlineArray<16, UInt8> {
        var bytes: [UInt8] = []
        for part in ["start", bot, ticket.grant.appID, ticket.grant.userID, "\(ticket.startID)", function] { append(part, to: &bytes) }
        let digest = try sha256(bytes.span)
        return InlineArray { digest[$0] }
    }

    static func key(_ token: BotConfirmationToken, bot: String) throws(CryptoError) -> [UInt8] {
        var bytes: [UInt8] = []
        for part in ["confirmation", bot, token.id] { append(part, to: &bytes) }
        return try sha256(bytes.span)
    }

    /// Appends the length in bytes, a full stop, and the text, so that different lists of texts always produce different bytes.
    private static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes += Array("\(text.utf8.count).".utf8) + Array(text.utf8)
    }
}
