internal import Bytes
package import Crypto
package import JSON
package import Time

/// A signed function call that awaits confirmation. A caller who presents the text makes the call, once.
///
/// Text form: `dgbc1.`, base64url of a JSON object, a full stop, and base64url of the object's HMAC-SHA-256. A customer's app may read the
/// object to show the user the call: `bot`, `app_id`, `user_id`, `function`, `arguments` (the model's), `id`, `issued_at` and `expires_at`
/// in Unix seconds, and `key` with the security key's `key_id`, `issued_at` and `salt` in hexadecimal, or null. The times and the key are
/// the ticket's, so a confirmation becomes invalid with its ticket.
package struct BotConfirmationToken: Sendable, Equatable {
    package enum Verdict: Sendable, Equatable {
        case valid(BotConfirmationToken)
        case malformed
        /// No secret of the bot matches, or the signed object is not a call of this bot.
        case forged
        /// Expired, or issued more than a minute in the future, because the clock was set back since.
        case expired
    }

    package static let prefix = "dgbc1."
    /// In bytes. A longer text is malformed.
    package static let longestText = 64 << 10

    /// The ticket's grant.
    package let grant: BotGrant
    package let function: String
    package let arguments: JSONObject
    /// 32 hexadecimal digits of 16 random bytes.
    package let id: String

    /// - Parameter arguments: the model's, at most `BotFunction.longestConfirmedArguments`.
    package init(_ grant: BotGrant, function: String, arguments: JSONObject, id: InlineArray<16, UInt8>) {
        (self.grant, self.function, self.arguments) = (grant, function, arguments)
        self.id = Hexadecimal.text(id.span)
    }

    /// Signs with the bot's first secret.
    package func text(for bot: BotDefinition) throws(CryptoError) -> String {
        let object: JSONValue = [
            "bot": .string(bot.name), "app_id": .string(grant.appID), "user_id": .string(grant.userID), "function": .string(function),
            "arguments": .object(arguments), "id": .string(id), "issued_at": .integer(Int64(grant.issuedAt.rawValue)),
            "expires_at": .integer(Int64(grant.expiresAt.rawValue)), "key": grant.key.map(\.json) ?? .null,
        ]
        let bytes = object.serialized()
        let code = try bot.keys.confirmations[0].code { message throws(CryptoError) in try message.append(bytes.span) }
        return "\(Self.prefix)\(Base64URL.encode(bytes.span)).\(Base64URL.encode(code.span))"
    }

    /// Verifies a text. Codes are compared in constant time, and the object is parsed only after one matches.
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
        return token.grant.isInForce(at: now) ? .valid(token) : .expired
    }

    /// Returns nil when the object was signed for another bot that shares a secret, or when a member such as `key` is missing.
    private init?(_ value: JSONValue, of bot: BotDefinition) {
        guard value["bot"]?.text == bot.name, let appID = value["app_id"]?.text, let userID = value["user_id"]?.text,
            let function = value["function"]?.text, case .object(let arguments)? = value["arguments"], let id = value["id"]?.text,
            let issued = value["issued_at"]?.integer.flatMap({ UInt64(exactly: $0) }),
            let expires = value["expires_at"]?.integer.flatMap({ UInt64(exactly: $0) }), let named = value["key"]
        else { return nil }
        let key = KeyIdentity(named)
        guard key != nil || named == .null else { return nil }
        grant = BotGrant(
            appID: appID, userID: userID, key: key, issuedAt: UnixSeconds(rawValue: issued), expiresAt: UnixSeconds(rawValue: expires))
        (self.function, self.arguments, self.id) = (function, arguments, id)
    }
}

extension KeyIdentity {
    fileprivate var json: JSONValue {
        [
            "key_id": .integer(Int64(keyID)), "issued_at": .integer(Int64(clamping: issuedAt.rawValue)),
            "salt": .string(Hexadecimal.text(salt.span)),
        ]
    }

    fileprivate init?(_ value: JSONValue) {
        guard let keyID = value["key_id"]?.integer.flatMap({ UInt32(exactly: $0) }),
            let issued = value["issued_at"]?.integer.flatMap({ UInt64(exactly: $0) }),
            let salt = value["salt"]?.text.flatMap({ Hexadecimal.bytes($0.utf8.span) }), salt.count == SecurityKey.saltCount
        else { return nil }
        self.init(keyID: keyID, issuedAt: UnixSeconds(rawValue: issued), salt: salt)
    }
}
