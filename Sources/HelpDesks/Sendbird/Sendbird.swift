internal import Bytes
internal import Configuration
internal import Core
internal import Crypto
internal import HTTPClient
internal import HTTPServer
package import HelpDesk
internal import Observability
internal import Threading
internal import URLPreviews

extension HelpDesk {
    package static let sendbird = HelpDesk(
        kind: .sendbird,
        serve: { configuration, services throws(CryptoError) in try Sendbird(configuration, services).served },
        makeRelay: { relay, services, client in SendbirdNotifier(relay, services, client: client) },
        signatures: [SendbirdSender.chat, .desk].map { sender in
            HelpDeskSignature(sender.scheme) { header, body, token throws(CryptoError) in
                try SendbirdKeys.isGenuine(header, body: body, token: token, from: sender)
            } secrets: { app in
                let settings = app.sendbird
                let chat = HelpDeskSignature.Secrets(key: "sendbird.chat_token", values: settings?.chatTokens ?? [])
                return sender == .chat
                    ? [chat] : [HelpDeskSignature.Secrets(key: "sendbird.desk_token", values: settings?.deskTokens ?? []), chat]
            }
        },
        probes: { app, clocks, client in PlatformProbe.probes(app, clocks: clocks, client: client) },
        connectionLimit: { configuration in
            let apps = configuration.apps.compactMap(\.sendbird)
            let previews = apps.contains { $0.makesURLPreviews } ? URLPreviewer.connectionLimit : 0
            return (apps.isEmpty ? 0 : HelpDeskServices.clientSettings.connectionLimit) + previews
        })
}

/// The Sendbird apps of the active configuration: an immutable snapshot that a reload replaces.
final class SendbirdState: Sendable {
    final class App: Sendable {
        /// The app id, which is also the last path component of its webhook URLs.
        let id: String
        let settings: Configuration.Sendbird
        /// The user ids of its bots; nil when they are not configured.
        let bots: Set<ByteKey>?
        let keys: SendbirdKeys
        let counters: LabelledCounters<WebhookResult>
        /// The ratings of its tickets by score.
        let ratings: [Int64: Counter]
        let desk: DeskClient
        let subscriptions: ReportBuilder.Subscriptions

        init(
            _ id: String, settings: Configuration.Sendbird, keys: SendbirdKeys, subscriptions: AppSubscriptions,
            services: HelpDeskServices
        ) {
            let metrics = services.metrics
            (self.id, self.settings, self.keys) = (id, settings, keys)
            bots = settings.botUserIDs.map { Set($0.map { ByteKey($0) }) }
            counters = WebhookResult.counters(WebhookResult.allCases, app: id, in: metrics.webhookEvents)
            ratings = Dictionary(uniqueKeysWithValues: (1...5).map { ($0, metrics.ticketRatings.child(id, "\($0)")) })
            desk = DeskClient(id, settings: settings, services: services)
            self.subscriptions = ReportBuilder.Subscriptions(of: id, subscriptions)
        }
    }

    let shared: HelpDeskState
    let sessions: SessionIssuers
    /// Counts webhooks without a known app.
    let unknown: LabelledCounters<WebhookResult>
    /// Verifies webhooks without a known app.
    let unknownKeys: SendbirdKeys
    private let apps: [ByteKey: App]

    /// - Parameter former: the active state; nil at the start.
    /// - Throws: when OpenSSL fails.
    init(
        _ configuration: Configuration, shared: HelpDeskState, services: HelpDeskServices, former: SendbirdState? = nil
    ) throws(CryptoError) {
        self.shared = shared
        sessions = SessionIssuers(configuration, services, former: former?.sessions)
        let metrics = services.metrics
        unknown = WebhookResult.counters(WebhookResult.common, app: "", in: metrics.webhookEvents)
        let all = configuration.apps.compactMap(\.sendbird)
        unknownKeys = try SendbirdKeys(nil, among: all)
        var apps: [ByteKey: App] = [:]
        for app in configuration.apps {
            guard let settings = app.sendbird else { continue }
            if settings.makesURLPreviews { URLPreviewResult.expect(app.id, in: metrics.urlPreviews) }
            if settings.servesTickets { TicketRoutes.expect(metrics, app: app.id) }
            apps[ByteKey(app.id)] = App(
                app.id, settings: settings, keys: try SendbirdKeys(settings, among: all), subscriptions: shared.subscriptions,
                services: services)
        }
        self.apps = apps
    }

    /// Returns an app; nil for an app of another help desk.
    func app(_ id: String) -> App? { apps[ByteKey(id)] }

    /// Returns the app in the last path component. App ids of Sendbird contain no characters that must be escaped in a path.
    func app(_ request: borrowing Request) -> App? {
        request.withPathParameter { app(String(repairing: $0)) }
    }

}

private struct Sendbird {
    let served: ServedHelpDesk

    init(_ configuration: Configuration, _ services: HelpDeskServices) throws(CryptoError) {
        let state = SnapshotReference(try SendbirdState(configuration, shared: services.state.current, services: services))
        var routes: [Route] = []
        routes.append(PushTokenRoute("/sendbird/push-token", of: .sendbird, services).route)
        routes.append(SessionTokenRoute(services) { state.current.sessions }.route)
        services.invalidation.listen { state.current.sessions.handle($0) }
        let owners = ChannelOwners(services.clocks)
        routes.append(SendbirdWebhookRoute(.chat, state: state, services, findOwner: owners.find).route)
        routes.append(SendbirdWebhookRoute(.desk, state: state, services).route)
        let lookup = OwnerLookup(state: state, services, findOwner: owners.find)
        let previewer = URLPreviewer()
        routes.append(URLPreviewRoute(services, previewer) { state.current.app($0)?.settings.makesURLPreviews == true }.route)
        let tickets = TicketRoutes(services) { id in
            state.current.app(id).flatMap { $0.settings.servesTickets ? $0 : nil }
        }
        routes += tickets.routes
        served = ServedHelpDesk(
            routes: routes, tickets: { id in state.current.app(id).map { DeskTickets($0.desk) } },
            sessions: { app, user in state.current.sessions.issuer(of: app)?.status(of: user) }, lookup: lookup,
            close: {
                previewer.close()
                tickets.stop()
            }
        ) { configuration, shared throws(CryptoError) in
            let next = try SendbirdState(configuration, shared: shared, services: services, former: state.current)
            return { state.replace(with: next) }
        }
    }
}
