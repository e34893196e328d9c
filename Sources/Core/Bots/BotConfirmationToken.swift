internal import Bytes
package import Crypto
package import JSON
package import Time

/// A call that waits for somebody's consent: the model has asked for it, and with this text it is made, once.
///
/// As text it is `dgbc1.`, the base64url of a JSON object, a full stop, and the base64url of the object's HMAC-SHA-256. A customer's app may
/// read the object to show what it is asked to confirm: `bot`, `app_id`, `user_id`, `function`, `arguments` (the model's), `id`, and
/// `issued_at` and `expires_at` in UNIX seconds, which are the ticket's.
package struct BotConfirmationToken: Sendable, Equatable {
    /// What a text is to a bot.
    package enum Verdict: Sendable, Equatable {
        /// A confirmation of this bot that is valid now.
        case valid(BotConfirmationToken)
        /// No confirmation.
        case malformed
        /// Signed with none of the bot's secrets.
        case forged
        /// Not valid any more; or issued more than a minute in the future, by a clock that has been set back since.
        case expired
    }

    /// What its text begins with.
    package static let prefix = "dgbc1."
    /// The longest text in bytes; what is longer is none.
    package static let longestText = 64 << 10

    /// The app of the user.
    package let appID: String
    /// The user.
    package let userID: String
    /// The function's name.
    package let function: String
    /// The model's arguments.
    package let arguments: JSONObject
    /// Tells it from all others: 32 hexadecimal digits of 16 random bytes.
    package let id: String
    /// When the ticket was issued.
    package let issuedAt: UnixSeconds
    /// The first second in which it is not valid; the ticket's.
    package let expiresAt: UnixSeconds

    /// Makes one for a call with this ticket.
    /// - Parameter arguments: at most `BotFunction.longestConfirmedArguments`.
    package init(ticket: BotTicket, function: String, arguments: JSONObject, id: InlineArray<16, UInt8>) {
        (appID, userID, self.function, self.arguments) = (ticket.appID, ticket.userID, function, arguments)
        (issuedAt, expiresAt) = (ticket.issuedAt, ticket.expiresAt)
        self.id = Hexadecimal.text(id.span)
    }

    /// Its text, signed with the bot's first secret; throws when OpenSSL fails.
    package func text(for bot: BotDefinition) throws(CryptoError) -> String {
        let object: JSONValue = [
            "bot": .string(bot.name), "app_id": .string(appID), "user_id": .string(userID), "function": .string(function),
            "arguments": .object(arguments), "id": .string(id), "issued_at": .integer(Int64(issuedAt.rawValue)),
            "expires_at": .integer(Int64(expiresAt.rawValue)),
        ]
        let bytes = object.serialized()
        let code = try bot.keys.confirmations[0].code { message throws(CryptoError) in try message.append(bytes.span) }
        return "\(Self.prefix)\(Base64URL.encode(bytes.span)).\(Base64URL.encode(code.span))"
    }

    /// Judges a text; throws when OpenSSL fails. Codes are compared in constant time, and nothing is read before one is right.
    package static func verdict(on text: String, for bot: BotDefinition, now: UnixSeconds) throws(CryptoError) -> Verdict {
        guard text.utf8.count <= longestText, text.utf8.starts(with: prefix.utf8) else { return .malformed }
        let parts = text.dropFirst(prefix.count).split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let bytes = Base64URL.decode(String(parts[0])), let code = Base64URL.decode(String(parts[1])) else {
            return .malformed
        }
        var isGenuine = false
        for key in bot.keys.confirmations {
            let ours = try key.code { message throws(CryptoError) in try message.append(bytes.span) }
            if constantTimeEquals(ours.span, code.span) { isGenuine = true }
        }
        guard isGenuine else { return .forged }
        guard let token = JSONValue(parsing: bytes).flatMap({ BotConfirmationToken($0, of: bot) }) else { return .forged }
        return BotTicket.isInForce(at: now, issuedAt: token.issuedAt, expiresAt: token.expiresAt) ? .valid(token) : .expired
    }

    /// Reads what has been signed; nil when it was signed for another bot, with a secret that this bot has, too.
    private init?(_ value: JSONValue, of bot: BotDefinition) {
        guard value["bot"]?.text == bot.name, let appID = value["app_id"]?.text, let userID = value["user_id"]?.text,
            let function = value["function"]?.text, case .object(let arguments)? = value["arguments"], let id = value["id"]?.text,
            let issued = value["issued_at"]?.integer.flatMap({ UInt64(exactly: $0) }),
            let expires = value["expires_at"]?.integer.flatMap({ UInt64(exactly: $0) })
        else { return nil }
        (self.appID, self.userID, self.function, self.arguments, self.id) = (appID, userID, function, arguments, id)
        (issuedAt, expiresAt) = (UnixSeconds(rawValue: issued), UnixSeconds(rawValue: expires))
    }
}
