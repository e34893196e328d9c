package import Crypto

extension Configuration {
    /// How an app's webhooks prove that the help desk has sent them; at least one of the two is there.
    package struct Webhook: Sendable {
        /// The last part of the webhook's path: 16 to 128 URL-safe characters.
        package var secret: SecretBytes?
        /// The key of the signature that comes in a header.
        package var signatureSecret: SecretBytes?
    }
}
