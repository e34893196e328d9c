package import Crypto
package import Time

/// The credential for calling a bot's functions: signed, because it travels with the bot's messages, which others can read.
///
/// As text it is `dgbt1.` and base64url of: the first 4 bytes of the SHA-256 of the bot's name, the same of the app's id, the second of
/// issue in 5 bytes, the life in seconds in 2 (the highest bit distinguishes UTF-16 from UTF-8, the next one shows whether the security key
/// follows), 8 random bytes, the security key's key id in 4 bytes, second of issue in 5 and salt in 16, the user's id in the shorter of
/// both encodings, and 16 bytes of the HMAC-SHA-256 over the full names and everything before it. Numbers are big-endian.
package struct BotAccessToken: Sendable, Equatable {
    package enum Verdict: Sendable, Equatable {
        /// A ticket of this bot that is valid now.
        case valid(BotAccessToken)
        case malformed
        /// Signed with none of the bot's secrets.
        case forged
        /// Not valid any more; or issued more than a minute in the future, by a clock that has been set back since.
        case expired
        case otherBot
        /// A ticket for an app that the bot does not serve.
        case otherApp
    }

    package static let prefix = "dgbt1."
    /// The longest life of a ticket, in seconds.
    static let longestLife: UInt64 = 0x3FFF

    /// The person, the security key and the times.
    package let grant: BotGrant
    /// Tells this start of the bot from all others; random.
    package let startID: UInt64

    /// Makes a ticket.
    /// - Parameter grant: lives for at most `longestLife`.
    package init(_ grant: BotGrant, startID: UInt64) {
        precondition(grant.expiresAt - grant.issuedAt <= Self.longestLife, "a ticket's life has 14 bits")
        (self.grant, self.startID) = (grant, startID)
    }

    /// Returns the text, signed with the bot's first secret; throws when OpenSSL fails.
    package func text(for bot: BotDefinition) throws(CryptoError) -> String {
        var bytes = try BotAccessTokenLayout.signedBytes(of: self, bot: bot.name)
        bytes += try Self.code(of: bytes, bot: bot, appID: grant.appID, key: bot.keys.tickets[0])
        return Self.prefix + Base64URL.encode(bytes.span)
    }

    /// Judges a text; throws when OpenSSL fails. Codes are compared in constant time, and the times count only once a code is right.
    /// Whether the security key still counts is for `Authorizer.denial` to say, of a ticket that is valid.
    package static func verdict(on text: String, for bot: BotDefinition, now: UnixSeconds) throws(CryptoError) -> Verdict {
        guard text.utf8.count <= BotAccessTokenLayout.longestText, text.utf8.starts(with: prefix.utf8),
            let bytes = Base64URL.decode(String(text.dropFirst(prefix.count))), let layout = BotAccessTokenLayout(bytes)
        else { return .malformed }
        guard try layout.bot == BotAccessTokenLayout.digest(bot.name) else { return .otherBot }
        var apps: [String] = []
        for app in bot.apps where try layout.app == BotAccessTokenLayout.digest(app) { apps.append(app) }
        // An app that the bot does not serve takes as long as one that it serves: anybody may write a ticket with the digest of an app.
        for app in apps.isEmpty ? [""] : apps {
            for key in bot.keys.tickets {
                let code = try Self.code(of: layout.signed, bot: bot, appID: app, key: key)
                guard !apps.isEmpty, constantTimeEquals(code.span, layout.code.span) else { continue }
                return layout.ticket(appID: app)?.verdict(now) ?? .malformed
            }
        }
        return apps.isEmpty ? .otherApp : .forged
    }

    private func verdict(_ now: UnixSeconds) -> Verdict { grant.isInForce(at: now) ? .valid(self) : .expired }

    private static func code(of bytes: [UInt8], bot: BotDefinition, appID: String, key: HMACKey<SHA256>) throws(CryptoError) -> [UInt8] {
        let code = try key.code { message throws(CryptoError) in
            try message.append(counted: bot.name.utf8.span)
            try message.append(counted: appID.utf8.span)
            try message.append(bytes.span)
        }
        return (0..<BotAccessTokenLayout.codeCount).map { code[$0] }
    }
}
