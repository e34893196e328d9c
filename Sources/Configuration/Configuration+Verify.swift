package import Core
package import Crypto

extension Configuration {
    /// The request to an app's backend that verifies a user.
    package struct Verify: Sendable, Equatable {
        /// Whether security keys are checked first; never `key`, which asks no backend.
        package var mode: VerifyMode
        /// The URL to post to: `https`, or `http` on this machine; no user, no fragment.
        package var url: String
        /// The texts of the secrets that sign, `whsec_` and base64, the newest first; several while one replaces another, never none.
        package var secrets: [SecretBytes]
        /// The timeout of a call in milliseconds.
        package var timeoutMilliseconds: Int
        package var lifetimes: AnswerLifetimes
        package var whenUndecided: UndecidedPolicy

        /// The secrets, ready for signing.
        /// - Throws: when OpenSSL fails.
        package func signingSecrets() throws(CryptoError) -> [StandardWebhookSecret] {
            var ready: [StandardWebhookSecret] = []
            for text in secrets {
                do throws(StandardWebhookSecret.Problem) {
                    ready.append(
                        try text.withSpan { span throws(StandardWebhookSecret.Problem) in try StandardWebhookSecret(span) })
                } catch {
                    guard case .unusable(let error) = error else { preconditionFailure("the reader has checked the secret's spelling") }
                    throw error
                }
            }
            return ready
        }
    }
}
