package import Crypto
package import Time

/// A signed credential that contains the user who may call a bot's functions, and an expiry. It is transmitted with the bot's messages,
/// which others can read.
///
/// Text form: `dgbt1.` and base64url of the following fields. Numbers are big-endian. The first 4 bytes of the SHA-256 of the bot's name;
/// the same of the app id; the time of issue in Unix seconds, 5 bytes; the lifetime in seconds, 2 bytes, whose highest bit means UTF-16 and
/// whose next bit means that a security key follows; 8 random bytes; the security key's key id (4 bytes), time of issue (5) and salt (16);
/// the user id in UTF-8 or UTF-16, whichever is shorter; 16 bytes of the HMAC-SHA-256 over the full names and all bytes before it.
package struct BotAccessToken: Sendable, Equatable {
    package enum Verdict: Sendable, Equatable {
        case valid(BotAccessToken)
        case malformed
        /// Signed with none of the bot's secrets, so it is not valid.
        case forged
        /// Expired, or issued more than a minute in the future, because the clock was set back afterwards.
        case expired
        case otherBot
        /// A ticket for an app that the bot does not serve.
        case otherApp
    }

    package static let prefix = "dgbt1."
    /// The maximum lifetime in seconds; 14 bits.
    static let maximumLifetime: UInt64 = 0x3FFF

    package let grant: BotGrant
    /// A random number that identifies one start of the bot.
    package let startID: UInt64

    /// - Parameter grant: its lifetime must be at most `maximumLifetime`.
    package init(_ grant: BotGrant, startID: UInt64) {
        precondition(grant.expiresAt - grant.issuedAt <= Self.maximumLifetime, "a ticket's lifetime must fit into 14 bits")
        (self.grant, self.startID) = (grant, startID)
    }

    /// Creates the text, signed with the bot's first secret.
    package func text(for bot: BotDefinition) throws(CryptoError) -> String {
        var bytes = try BotAccessTokenLayout.signedBytes(of: self, bot: bot.name)
        bytes += try Self.code(of: bytes, bot: bot, appID: grant.appID, key: bot.keys.tickets[0])
        return Self.prefix + Base64URL.encode(bytes.span)
    }

    /// Verifies a text. Signatures are compared in constant time, and times are checked only after a match. For a valid ticket,
    /// `Authorizer.denial` decides whether the security key is still valid.
    package static func verdict(on text: String, for bot: BotDefinition, now: UnixSeconds) throws(CryptoError) -> Verdict {
        guard text.utf8.count <= BotAccessTokenLayout.longestText, text.utf8.starts(with: prefix.utf8),
            let bytes = Base64URL.decode(String(text.dropFirst(prefix.count))), let layout = BotAccessTokenLayout(bytes)
        else { return .malformed }
        guard try layout.bot == BotAccessTokenLayout.digest(bot.name) else { return .otherBot }
        var apps: [String] = []
        for app in bot.apps where try layout.app == BotAccessTokenLayout.digest(app) { apps.append(app) }
        // Computes a signature even for an app that the bot does not serve, so that the response time does not reveal the bot's apps:
        // anyone can create a ticket with the digest of an app.
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
