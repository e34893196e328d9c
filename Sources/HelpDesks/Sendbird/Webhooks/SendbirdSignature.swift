internal import Bytes
internal import Configuration
internal import Core
internal import Crypto
internal import HTTPServer

enum SendbirdSender: Sendable {
    /// Sendbird Chat: HMAC-SHA-256 of the raw body under an API token of Chat
    /// (docs.sendbird.com/docs/chat/platform-api/v3/webhook/webhook-overview).
    case chat
    /// Sendbird Desk: HMAC-SHA-1 of the raw body under an API token. The documentation does not specify whether it is a token of Desk or of
    /// Chat (docs.sendbird.com/docs/desk/platform-api/v1/features/webhooks), so both are tried.
    case desk

    var header: StaticString { self == .chat ? "x-sendbird-signature" : "x-hub-signature" }
    var prefix: StaticString { self == .chat ? "" : "sha1=" }
    /// The size of the signature in bytes.
    private var codeCount: Int { self == .chat ? 32 : 20 }

    /// Returns the tokens of an app that may have signed its webhooks, each with its configuration key.
    fileprivate func tokens(of settings: Configuration.Sendbird) -> [(SecretBytes, StaticString?)] {
        let chat = settings.chatTokens.map { ($0, "chat_token" as StaticString?) }
        return self == .chat ? chat : settings.deskTokens.map { ($0, "desk_token") } + chat
    }

    var scheme: SignatureScheme {
        SignatureScheme(
            header: "\(header)", algorithm: self == .chat ? .sha256 : .sha1, encoding: .hexadecimal, prefix: "\(prefix)")
    }

    /// Decodes a header's value: lower-case hexadecimal digits after the prefix. Returns nil for any other format.
    func code(_ text: Span<UInt8>) -> [UInt8]? {
        let start = prefix.utf8CodeUnitCount
        guard text.count == start + 2 * codeCount, text.extracting(..<start).equals(prefix) else { return nil }
        for index in start..<text.count where (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(text[index]) { return nil }
        return Hexadecimal.bytes(text.extracting(start...))
    }

    /// Returns the decoded signature of a request; nil when it is missing or malformed.
    func code(_ request: borrowing Request) -> [UInt8]? {
        var found: [UInt8]?
        request.withHeader(header) { value in
            if let value { found = code(value) }
        }
        return found
    }
}

/// The keys that verify the webhooks of an app, or of an app that is not configured.
///
/// All apps, including one that is not configured, have the same number of keys: random keys replace missing tokens. The time until a
/// webhook is denied therefore does not reveal which apps exist, or which of them rotate a token.
struct SendbirdKeys: Sendable {
    private let chat: [(key: HMACKey<SHA256>, token: StaticString?)]
    private let desk: [(key: HMACKey<SHA1>, token: StaticString?)]

    /// - Parameters:
    ///   - settings: nil for an app that is not configured; no webhook of such an app has a valid signature.
    ///   - apps: all configured apps.
    /// - Throws: when OpenSSL fails.
    init(_ settings: Configuration.Sendbird?, among apps: [Configuration.Sendbird]) throws(CryptoError) {
        chat = try Self.tokens(settings, .chat, among: apps).map { token, name throws(CryptoError) in (try Self.key(token), name) }
        desk = try Self.tokens(settings, .desk, among: apps).map { token, name throws(CryptoError) in
            (try token.withSpan { span throws(CryptoError) in try HMACKey<SHA1>(secret: span) }, name)
        }
    }

    /// Returns the tokens of an app that may have signed a sender's webhooks, each with its configuration key. Random tokens without a
    /// configuration key follow.
    private static func tokens(
        _ settings: Configuration.Sendbird?, _ sender: SendbirdSender, among apps: [Configuration.Sendbird]
    ) throws(CryptoError) -> [(SecretBytes, StaticString?)] {
        var tokens: [(SecretBytes, StaticString?)] = settings.map { sender.tokens(of: $0) } ?? []
        let most = apps.map { sender.tokens(of: $0).count }.max() ?? 1
        while tokens.count < most {
            let random: InlineArray<32, UInt8> = try randomBytes()
            tokens.append((SecretBytes(copying: random.span), nil))
        }
        return tokens
    }

    private static func key(_ token: SecretBytes) throws(CryptoError) -> HMACKey<SHA256> {
        try token.withSpan { span throws(CryptoError) in try HMACKey<SHA256>(secret: span) }
    }

    func count(_ sender: SendbirdSender) -> Int { sender == .chat ? chat.count : desk.count }

    /// Returns the configuration key of the token that signed a body; nil when no token matches. All tokens are tried even after a match,
    /// and each comparison takes constant time.
    func signer(of body: Span<UInt8>, _ code: [UInt8], from sender: SendbirdSender) throws(CryptoError) -> StaticString? {
        var found: StaticString?
        switch sender {
        case .chat:
            for (key, token) in chat {
                let expected = try key.code { message throws(CryptoError) in try message.append(body) }
                if constantTimeEquals(expected.span, code.span), found == nil { found = token }
            }
        case .desk:
            for (key, token) in desk {
                let expected = try key.code { message throws(CryptoError) in try message.append(body) }
                if constantTimeEquals(expected.span, code.span), found == nil { found = token }
            }
        }
        return found
    }

    /// Whether a header's value is the signature of a body with one given token, for `explain`.
    static func isGenuine(
        _ header: String, body: [UInt8], token: SecretBytes, from sender: SendbirdSender
    ) throws(CryptoError) -> Bool {
        guard let code = sender.code(header.utf8.span) else { return false }
        switch sender {
        case .chat:
            let expected = try key(token).code { message throws(CryptoError) in try message.append(body.span) }
            return constantTimeEquals(expected.span, code.span)
        case .desk:
            let key = try token.withSpan { span throws(CryptoError) in try HMACKey<SHA1>(secret: span) }
            let expected = try key.code { message throws(CryptoError) in try message.append(body.span) }
            return constantTimeEquals(expected.span, code.span)
        }
    }
}
