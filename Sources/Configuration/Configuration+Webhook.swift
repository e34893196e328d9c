package import Crypto

extension Configuration {
    /// How an app's webhooks prove that the help desk has sent them; at least one of the two is there, and where both are, both must hold.
    package struct Webhook: Sendable {
        /// What the webhook's path may end with: 16 to 128 URL-safe characters each; several while one replaces another.
        package var secrets: [SecretBytes]
        /// The keys of the signature that comes in a header; several while one replaces another.
        package var signatureSecrets: [SecretBytes]

        /// Whether its webhooks come to the path without a secret.
        var needsNoPathSecret: Bool { secrets.isEmpty }
    }
}
