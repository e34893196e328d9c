package import Core
package import Crypto

extension Configuration {
    /// The settings for requests to an app's backend that verify a user.
    package struct Verify: Sendable, Equatable {
        /// Whether security keys are also checked by Deskgate; never `key`, which does not query a backend.
        package var mode: VerifyMode
        /// The URL of the POST request: `https`, or `http` on this machine, without user and fragment.
        package var url: String
        /// The signing secrets as text (`whsec_` and base64), newest first and never empty; more than one during a rotation.
        package var secrets: [SecretBytes]
        /// The timeout of a call in milliseconds.
        package var timeoutMilliseconds: Int
        package var lifetimes: AnswerLifetimes
        package var whenUndecided: UndecidedPolicy

        /// Returns the signing secrets in decoded form.
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
