internal import Bytes
internal import Configuration
internal import Core
internal import Crypto
internal import HTTPServer

/// Which part of Sendbird sends a webhook.
enum SendbirdSender: Sendable {
    /// Sendbird Chat: HMAC-SHA-256 of the raw body under an API token of Chat
    /// (docs.sendbird.com/docs/chat/platform-api/v3/webhook/webhook-overview).
    case chat
    /// Sendbird Desk: HMAC-SHA-1 of the raw body under an API token, of which the documentation does not say whose it is
    /// (docs.sendbird.com/docs/desk/platform-api/v1/features/webhooks). So Desk's are tried, and Chat's.
    case desk

    /// The header with the signature.
    var header: StaticString { self == .chat ? "x-sendbird-signature" : "x-hub-signature" }
    /// What stands before the digits.
    var prefix: StaticString { self == .chat ? "" : "sha1=" }
    /// The size of a code in bytes.
    private var codeCount: Int { self == .chat ? 32 : 20 }

    /// In words, for explanations.
    var scheme: SignatureScheme {
        SignatureScheme(
            header: "\(header)", algorithm: self == .chat ? .sha256 : .sha1, encoding: .hexadecimal, prefix: "\(prefix)")
    }

    /// The code of a header's value: lower-case hexadecimal digits after the prefix; nil for any other form.
    func code(_ text: Span<UInt8>) -> [UInt8]? {
        let start = prefix.utf8CodeUnitCount
        guard text.count == start + 2 * codeCount, text.extracting(..<start).equals(prefix) else { return nil }
        for index in start..<text.count where (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(text[index]) { return nil }
        return Hexadecimal.bytes(text.extracting(start...))
    }

    /// The code of a request; nil when the signature is missing or malformed.
    func code(_ request: borrowing Request) -> [UInt8]? {
        var found: [UInt8]?
        request.withHeader(header) { value in
            if let value { found = code(value) }
        }
        return found
    }
}

/// The tokens of an app, ready to verify webhooks.
struct SendbirdKeys: Sendable {
    private let chat: [HMACKey<SHA256>]
    private let desk: [(key: HMACKey<SHA1>, token: StaticString)]

    /// - Throws: when OpenSSL fails.
    init(_ settings: Configuration.Sendbird) throws(CryptoError) {
        chat = try settings.chatTokens.map { token throws(CryptoError) in try Self.key(token) }
        let named = settings.deskTokens.map { ($0, "desk_token" as StaticString) } + settings.chatTokens.map { ($0, "chat_token") }
        desk = try named.map { token, name throws(CryptoError) in
            (try token.withSpan { span throws(CryptoError) in try HMACKey<SHA1>(secret: span) }, name)
        }
    }

    private static func key(_ token: SecretBytes) throws(CryptoError) -> HMACKey<SHA256> {
        try token.withSpan { span throws(CryptoError) in try HMACKey<SHA256>(secret: span) }
    }

    /// The key of the configuration whose token has signed a body; nil when none has. All tokens are tried, even after a match, and each
    /// comparison takes constant time.
    func signer(of body: Span<UInt8>, _ code: [UInt8], from sender: SendbirdSender) throws(CryptoError) -> StaticString? {
        var found: StaticString?
        switch sender {
        case .chat:
            for key in chat {
                let expected = try key.code { message throws(CryptoError) in try message.append(body) }
                if constantTimeEquals(expected.span, code.span) { found = "chat_token" }
            }
        case .desk:
            for (key, token) in desk {
                let expected = try key.code { message throws(CryptoError) in try message.append(body) }
                if constantTimeEquals(expected.span, code.span), found == nil { found = token }
            }
        }
        return found
    }

    /// Whether a header's value is the signature of a body with one token, for explanations.
    static func isGenuine(
        _ header: String, _ body: [UInt8], _ token: SecretBytes, from sender: SendbirdSender
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
