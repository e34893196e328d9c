package import Crypto
package import Time

/// Who may call a bot's functions, and for how long: signed, so that it can travel with the bot's messages, which others read.
///
/// As text it is `dgbt1.` and base64url of: the first 4 bytes of the SHA-256 of the bot's name, the same of the app's id, the second of issue
/// in 5 bytes, the life in seconds in 2 (the highest bit tells UTF-16 from UTF-8), 8 random bytes, the user's id in the shorter of both
/// encodings, and 16 bytes of the HMAC-SHA-256 over the names in full and all before it. Numbers have the highest byte first.
package struct BotTicket: Sendable, Equatable {
    /// What a text is to a bot.
    package enum Verdict: Sendable, Equatable {
        /// A ticket of this bot that is valid now.
        case valid(BotTicket)
        /// No ticket.
        case malformed
        /// Signed with none of the bot's secrets.
        case forged
        /// Not valid any more; or issued more than a minute in the future, by a clock that has been set back since.
        case expired
        /// A ticket of another bot.
        case otherBot
        /// A ticket for an app that the bot does not serve.
        case otherApp
    }

    /// How far in the future a ticket may have been issued, in seconds.
    private static let clockToleranceSeconds: UInt64 = 60
    /// What a ticket's text begins with.
    package static let prefix = "dgbt1."

    /// The app of the user.
    package let appID: String
    /// The user, of 1 to 100 UTF-16 code units.
    package let userID: String
    /// When it was issued.
    package let issuedAt: UnixSeconds
    /// The first second in which it is not valid.
    package let expiresAt: UnixSeconds
    /// Tells this start of the bot from all others; random.
    package let startID: UInt64

    /// Makes a ticket.
    /// - Parameter lifeSeconds: at most `longestLife`.
    package init(appID: String, userID: String, issuedAt: UnixSeconds, lifeSeconds: UInt64, startID: UInt64) {
        precondition(lifeSeconds <= Self.longestLife, "a ticket's life has 15 bits")
        (self.appID, self.userID, self.issuedAt, self.startID) = (appID, userID, issuedAt, startID)
        expiresAt = issuedAt + lifeSeconds
    }

    /// The longest life of a ticket, in seconds.
    static let longestLife: UInt64 = 0x7FFF

    /// Its text, signed with the bot's first secret; throws when OpenSSL fails.
    package func text(for bot: BotDefinition) throws(CryptoError) -> String {
        let user = BotTicketUser(userID)
        var bytes = try BotTicketLayout.digest(bot.name) + BotTicketLayout.digest(appID)
        bytes.append(issuedAt.rawValue, count: 5)
        bytes.append((expiresAt - issuedAt) | (user.isUTF16 ? 0x8000 : 0), count: 2)
        bytes.append(startID, count: 8)
        bytes += user.bytes
        bytes += try Self.code(of: bytes, bot: bot, appID: appID, key: bot.keys.tickets[0])
        return Self.prefix + Base64URL.encode(bytes.span)
    }

    /// Judges a text; throws when OpenSSL fails. Codes are compared in constant time.
    package static func verdict(on text: String, for bot: BotDefinition, now: UnixSeconds) throws(CryptoError) -> Verdict {
        guard text.utf8.count <= BotTicketLayout.longestText, text.utf8.starts(with: prefix.utf8),
            let bytes = Base64URL.decode(String(text.dropFirst(prefix.count))), let layout = BotTicketLayout(bytes)
        else { return .malformed }
        guard try layout.bot == BotTicketLayout.digest(bot.name) else { return .otherBot }
        var apps: [String] = []
        for app in bot.apps where try layout.app == BotTicketLayout.digest(app) { apps.append(app) }
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

    private func verdict(_ now: UnixSeconds) -> Verdict {
        Self.isInForce(at: now, issuedAt: issuedAt, expiresAt: expiresAt) ? .valid(self) : .expired
    }

    /// Whether something that was issued then and ends then is valid now, with the tolerance of tickets.
    static func isInForce(at now: UnixSeconds, issuedAt: UnixSeconds, expiresAt: UnixSeconds) -> Bool {
        issuedAt.saturating(subtracting: clockToleranceSeconds) <= now && now < expiresAt
    }

    private static func code(of bytes: [UInt8], bot: BotDefinition, appID: String, key: HMACKey<SHA256>) throws(CryptoError) -> [UInt8] {
        let code = try key.code { message throws(CryptoError) in
            try message.append(counted: bot.name.utf8.span)
            try message.append(counted: appID.utf8.span)
            try message.append(bytes.span)
        }
        return (0..<BotTicketLayout.codeCount).map { code[$0] }
    }
}
