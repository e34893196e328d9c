package import Crypto

extension Configuration {
    /// Where a notifier posts events, as Standard Webhooks.
    package struct HTTPDestination: Sendable, Equatable {
        /// The address: `https`, or `http` where that is allowed; no user, no fragment.
        package var url: String
        /// The texts of the secrets that sign, `whsec_` and base64; more than one while they rotate, never none.
        package var secrets: [SecretBytes]
        /// Whether the deliveries of one ticket are tried one after the other.
        package var keepsTicketOrder: Bool
        /// How it is reached.
        package var transport: Transport
    }
}
