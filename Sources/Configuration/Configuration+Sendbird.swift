package import Core
package import Crypto

extension Configuration {
    /// The settings of an app of Sendbird Desk: API access, webhook authentication, and enabled features.
    package struct Sendbird: Sendable {
        /// The API tokens of Sendbird Chat, never empty: visible ASCII characters. Requests to Sendbird use the first token. A webhook may
        /// be signed with any of them. More than one during a rotation.
        package var chatTokens: [SecretBytes]
        /// The API tokens of Sendbird Desk, in the same form.
        package var deskTokens: [SecretBytes]
        /// The base URL of the Chat Platform API, without a trailing slash: scheme, host, port.
        package var chatURL: String
        /// The base URL of the Desk Platform API, in the same form.
        package var deskURL: String
        /// The settings of session tokens; nil when none are issued.
        package var sessionTokens: SessionTokens?
        package var makesURLPreviews: Bool
        /// Whether customers may see and change their own tickets.
        package var servesTickets: Bool
        /// The keys of custom ticket fields that customers may set in their own tickets.
        package var ticketFields: [String] = []
        /// The keys of custom customer fields that customers may set for themselves.
        package var customerFields: [String] = []
        package var relaysRegistrations: Bool
        /// The user ids of the bots that write in tickets; nil when the app does not name its bots.
        package var botUserIDs: [String]?
        /// The timeout of an HTTP request for a token, a ticket or a channel, in milliseconds; nil for the default. No configuration key
        /// sets it.
        package var timeoutMilliseconds: Int?
    }

    /// The session tokens of an app of Sendbird Desk.
    package struct SessionTokens: Sendable, Equatable {
        /// The maximum lifetime in seconds.
        package var lifetimeSeconds: UInt64
        /// The limits of token requests, per person and per app.
        package var limits: [LimitRule]
    }
}

extension Configuration.App {
    /// Whether the app's registrations are relayed to the help desk.
    var relaysRegistrations: Bool { sendbird?.relaysRegistrations ?? true }
    /// The maximum lifetime, in seconds, of the help desk sessions that users receive for their security keys; nil when no sessions are
    /// issued.
    var sessionLifetimeSeconds: UInt64? { sendbird?.sessionTokens?.lifetimeSeconds }
}

extension Configuration.Notifier {
    /// Returns the notifier. A relay with an address for each app gets the list of the apps that name it.
    func serving(_ apps: [Configuration.App]) -> Configuration.Notifier {
        guard case .relay(var relay) = kind, relay.url == nil else { return self }
        relay.apps = apps.filter { app in app.notifiers.contains { $0.utf8.elementsEqual(name.utf8) } }.compactMap { app in
            app.sendbird.map {
                Configuration.RelayedApp(id: app.id, url: $0.chatURL, tokens: $0.chatTokens, relaysRegistrations: $0.relaysRegistrations)
            }
        }
        var notifier = self
        notifier.kind = .relay(relay)
        return notifier
    }
}
