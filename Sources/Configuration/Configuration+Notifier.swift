package import Core
package import Crypto
package import Notifiers

extension Configuration {
    package struct Notifier: Sendable, Equatable {
        package enum Kind: Sendable, Equatable {
            case log
            case http(HTTPDestination)
            case push(PushSettings)
            case relay(Relay)
        }

        /// The unique name: 1 to 64 ASCII letters, digits, `-`, `_` and `.`.
        package var name: String
        package var kind: Kind
        /// Whether the notifier receives comments only for people who have a device that can be notified.
        package var requiresDevice: Bool

        /// - Parameter requiresDevice: nil for the default of the notifier's type.
        package init(name: String, kind: Kind, requiresDevice: Bool? = nil) {
            self.name = name
            self.kind = kind
            self.requiresDevice = requiresDevice ?? Self.type(of: kind).requiresDevice
        }

        package var type: NotifierType { Self.type(of: kind) }

        /// The content of a comment that is shown on phones and visible to the provider; nil for a notifier that sends no pushes.
        package var pushContent: PushContent? { if case .push(let push) = kind { push.style.content } else { nil } }

        /// Whether the notifier withdraws notifications of messages that were read elsewhere.
        var withdraws: Bool { if case .push(let push) = kind { push.style.withdraws } else { false } }

        private static func type(of kind: Kind) -> NotifierType {
            switch kind {
            case .log: .log
            case .http: .http
            case .relay(let relay): .relay(relay.helpDesk)
            case .push(let push):
                switch push.provider {
                case .apns: .apns
                case .fcm: .fcm
                case .rustore: .rustore
                case .hms: .hms
                }
            }
        }
    }

    /// The destination to which registrations are relayed at the help desk.
    package struct Relay: Sendable, Equatable {
        package var helpDesk: HelpDeskKind
        /// The address for the registrations of all apps; nil when each app has its own address.
        package var url: String?
        /// The served apps, when each app has its own address and tokens.
        package var apps: [RelayedApp] = []
        package var transport: NotifierTransport
    }

    package struct RelayedApp: Sendable, Equatable {
        package var id: String
        package var url: String
        /// The tokens that the help desk accepts, never empty. The first token is used first.
        package var tokens: [SecretBytes]
        /// Whether the app's registrations are relayed. Otherwise the relay only ends sessions.
        package var relaysRegistrations: Bool

        package init(id: String, url: String, tokens: [SecretBytes], relaysRegistrations: Bool) {
            self.id = id
            self.url = url
            self.tokens = tokens
            self.relaysRegistrations = relaysRegistrations
        }
    }
}

extension Configuration {
    /// The address for an app's registrations: the address of the app's relay, or else of the help desk's cloud. Nil when each app has its
    /// own address.
    package func registryAddress(of app: App) -> String? {
        for notifier in notifiers where app.notifiers.contains(where: { $0.utf8.elementsEqual(notifier.name.utf8) }) {
            if case .relay(let relay) = notifier.kind { return relay.url }
        }
        return app.helpDesk.registry.map { $0.address(at: $0.cloudHost) }
    }

    /// Whether messages of an app may be held (`HeldMessage`).
    package var holdsMessages: Bool { apps.contains { $0.helpDesk.holdsMessages } }

    /// The names of the running notifiers: the configured ones, and Deskgate's internal notifier.
    package var runningNotifiers: [String] { notifiers.map(\.name) + (holdsMessages ? [HeldMessage.notifier] : []) }

    package func runs(_ notifier: String) -> Bool { runningNotifiers.contains { $0.utf8.elementsEqual(notifier.utf8) } }

    /// Warnings about apps whose replies are only logged, as in a fresh installation.
    var audienceWarnings: [ConfigurationWarning] {
        let (subscriptions, logs) = (AppSubscriptions(self), Set(notifiers.filter { $0.type == .log }.map(\.name)))
        return apps.enumerated().filter { $0.element.takesWebhooks }.compactMap { index, app in
            guard subscriptions.comments(app.id).allSatisfy({ logs.contains($0.notifier) }) else { return nil }
            return ConfigurationWarning(
                path: "$.apps[\(index)].notifiers",
                message: LocalizedText(
                    "no one is notified of this app's replies, because its only notifier is the log; add one of type http here, ",
                    "об ответах в этом приложении никого не уведомляют: у него нет каналов, кроме журнала; добавьте сюда канал типа http ")
                    + LocalizedText("or a push notifier to \"routes\"", "или пуш-канал в \"routes\""))
        }
    }
}
