package import Crypto

/// The keys that sign a bot's tickets and confirmations. Each key is derived from a secret for one purpose, so that a signature for one
/// purpose is invalid for the other. A derived key is the HMAC-SHA-256 of the purpose, as in RFC 5869 section 2.3.
package struct BotKeys: Sendable {
    /// One per secret; the first signs.
    let tickets: [HMACKey<SHA256>]
    /// One per secret; the first signs.
    let confirmations: [HMACKey<SHA256>]

    package init(_ secrets: [StandardWebhookSecret]) throws(CryptoError) {
        precondition(!secrets.isEmpty, "a bot must have at least one secret")
        tickets = try Self.derived(from: secrets, "deskgate bot ticket 1")
        confirmations = try Self.derived(from: secrets, "deskgate bot confirmation 1")
    }

    private static func derived(from secrets: [StandardWebhookSecret], _ purpose: StaticString) throws(CryptoError) -> [HMACKey<SHA256>] {
        var keys: [HMACKey<SHA256>] = []
        for secret in secrets {
            let key = try secret.key.code { message throws(CryptoError) in try message.append(purpose) }
            keys.append(try HMACKey(secret: key.span))
        }
        return keys
    }
}
