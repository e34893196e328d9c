internal import Bytes
internal import Core
internal import Crypto
internal import HTTPServer

/// The signature of a webhook: HMAC-SHA-1 over the raw body as 40 hexadecimal digits in either case, optionally after `sha1=`.
struct WebhookSignature: Sendable {
    static let header: StaticString = "X-Pyrus-Sig"
    private static let prefix: StaticString = "sha1="
    static let scheme = SignatureScheme(
        header: header.description, algorithm: .sha1, encoding: .hexadecimal, prefix: prefix.description)

    private let code: InlineArray<20, UInt8>

    init?(_ text: Span<UInt8>) {
        let prefixCount = Self.prefix.utf8CodeUnitCount
        let isPrefixed = text.count > prefixCount && text.extracting(..<prefixCount).equalsIgnoringCase(Self.prefix)
        let digits = isPrefixed ? text.extracting(prefixCount...) : text
        guard digits.count == 40 else { return nil }
        var code = InlineArray<20, UInt8>(repeating: 0)
        for index in 0..<20 {
            guard let byte = Hexadecimal.byte(digits[2 * index], digits[2 * index + 1]) else { return nil }
            code[index] = byte
        }
        self.code = code
    }

    /// Nil when the signature is missing or malformed.
    static func of(_ request: borrowing Request) -> WebhookSignature? {
        var signature: WebhookSignature?
        request.withHeader(header) { value in
            if let value { signature = WebhookSignature(value) }
        }
        return signature
    }

    /// Whether this key has signed the body. The comparison takes constant time.
    func isGenuine(for body: Span<UInt8>, _ key: HMACKey<SHA1>) throws(CryptoError) -> Bool {
        let expected = try key.code { message throws(CryptoError) in try message.append(body) }
        return constantTimeEquals(expected, code)
    }
}
