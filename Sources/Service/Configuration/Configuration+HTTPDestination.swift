package import Crypto

extension Configuration {
    /// Where a notifier posts events, as Standard Webhooks.
    package struct HTTPDestination: Sendable {
        /// The address: `https`, or `http` where that is allowed; no user, no fragment.
        package var url: String
        /// The texts of the secrets that sign, `whsec_` and base64; more than one while they rotate, never none.
        package var secrets: [SecretBytes]
        /// How long a try may take, in seconds.
        package var timeoutSeconds: Int
        /// How many tries may run at once.
        package var concurrency: Int
        /// Whether the deliveries of one ticket are tried one after the other.
        package var keepsTicketOrder: Bool
        /// The file with the certificates, in PEM, that the server's must come from; nil for those of the system.
        package var certificateAuthorities: String?
        /// The proxy to go through; nil for none.
        package var proxy: String?

        /// Whether both say the same.
        func isConfigured(like other: HTTPDestination) -> Bool {
            url.utf8.elementsEqual(other.url.utf8) && secrets.elementsEqual(other.secrets, by: SecretRules.areEqual)
                && timeoutSeconds == other.timeoutSeconds && concurrency == other.concurrency
                && keepsTicketOrder == other.keepsTicketOrder
                && Self.areEqual(certificateAuthorities, other.certificateAuthorities) && Self.areEqual(proxy, other.proxy)
        }

        private static func areEqual(_ left: String?, _ right: String?) -> Bool {
            left.map { Array($0.utf8) } == right.map { Array($0.utf8) }
        }
    }
}
