package import Core
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
        /// nil issues no session tokens.
        package var sessionTokens: SessionTokens?
        package var makesURLPreviews: Bool
        /// Whether customers may see and change their own tickets.
        package var servesTickets: Bool
        /// The keys of custom fields that customers may set of their own tickets.
        package var ticketFields: [String] = []
        /// The keys of custom fields that customers may set of themselves.
        package var customerFields: [String] = []
        package var relaysRegistrations: Bool
        /// The user ids of the bots that write in tickets; nil when the app does not name its bots.
        package var botUserIDs: [String]?
        /// The timeout of an HTTP request for a token, a ticket or a channel, in milliseconds; nil for the default. No key sets it.
        package var timeoutMilliseconds: Int?
    }

    /// The session tokens of an app of Sendbird Desk.
    package struct SessionTokens: Sendable, Equatable {
        /// The maximum life in seconds.
        package var lifetimeSeconds: UInt64
        /// The limits of token requests, for a person and for the app.
        package var limits: [LimitRule]
    }
}

extension Configuration.App {
    /// Whether its registrations are passed on to the help desk.
    var relaysRegistrations: Bool { sendbird?.relaysRegistrations ?? true }
    /// The maximum life, in seconds, of the help desk's sessions that people get with their keys; nil when they get none.
    var sessionLifetimeSeconds: UInt64? { sendbird?.sessionTokens?.lifetimeSeconds }
}

extension Configuration.Notifier {
    /// The same notifier; a relay that asks the help desk about each app knows those that name it.
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
