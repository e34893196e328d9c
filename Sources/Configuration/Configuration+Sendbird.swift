package import Crypto

extension Configuration {
    /// An app of Sendbird Desk: how Sendbird is asked about it, what proves its webhooks, and which parts are switched on.
    package struct Sendbird: Sendable {
        /// The API tokens of Sendbird Chat, never empty: visible ASCII characters. The first one is shown to Sendbird, and each of them may
        /// have signed a webhook; several while one replaces another.
        package var chatTokens: [SecretBytes]
        /// The API tokens of Sendbird Desk; the same.
        package var deskTokens: [SecretBytes]
        /// The beginning of the Chat Platform API's addresses, without a slash at the end: scheme, host, port.
        package var chatURL: String
        /// The beginning of the Desk Platform API's addresses, in the same form.
        package var deskURL: String
        /// How long a session token lives at most, in seconds; nil issues none.
        package var sessionTokenLifeSeconds: UInt64?
        /// Whether previews of addresses are made.
        package var makesURLPreviews: Bool
        /// Whether customers may see and change their own tickets.
        package var servesTickets: Bool
        /// Whether registrations are passed on to Sendbird.
        package var relaysRegistrations: Bool
    }
}
