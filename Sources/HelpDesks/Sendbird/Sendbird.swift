internal import Configuration
internal import Core
internal import Crypto
internal import HTTPServer
package import HelpDesk
internal import Threading

extension HelpDesk {
    /// Sendbird Desk, with Sendbird Chat below it: `/sendbird/…`.
    package static let sendbird = HelpDesk(
        kind: .sendbird,
        serve: { configuration, services throws(CryptoError) in try Sendbird(configuration, services).served },
        makeRelay: nil, signatures: [])
}

/// The apps of Sendbird in the configuration in force: an immutable snapshot, which a reload replaces.
final class SendbirdState: Sendable {
    /// One app of Sendbird.
    struct App: Sendable {
        /// Its Application ID, which is the last part of its webhooks' paths.
        let id: String
        /// How Sendbird is asked about it, and what is switched on.
        let settings: Configuration.Sendbird
        /// Asks Desk about it.
        let desk: DeskClient
    }

    /// What all help desks use of the same configuration.
    let shared: HelpDeskState
    private let apps: [ByteKey: App]

    /// Takes the snapshot of a configuration.
    /// - Throws: when OpenSSL fails.
    init(_ configuration: Configuration, _ shared: HelpDeskState, _ services: HelpDeskServices) throws(CryptoError) {
        self.shared = shared
        let apps = configuration.apps.compactMap { app in
            app.sendbird.map { App(id: app.id, settings: $0, desk: DeskClient(app.id, $0, services)) }
        }
        for app in apps where app.settings.servesTickets { TicketRoutes.expect(services.metrics, app: app.id) }
        self.apps = Dictionary(apps.map { (ByteKey($0.id), $0) }) { first, _ in first }
    }

    /// The app with exactly this id, if it is one of Sendbird's.
    func app(_ id: String) -> App? { apps[ByteKey(id)] }
}

/// The routes of Sendbird's apps.
private struct Sendbird {
    let served: ServedHelpDesk

    init(_ configuration: Configuration, _ services: HelpDeskServices) throws(CryptoError) {
        let state = Live(try SendbirdState(configuration, services.state.current, services))
        var routes: [Route] = []
        routes.append(PushTokenRoute("/sendbird/push-token", of: .sendbird, services).route)
        let tickets = TicketRoutes(services) { id in
            state.current.app(id).flatMap { $0.settings.servesTickets ? DeskTickets($0.desk) : nil }
        }
        routes += tickets.routes
        served = ServedHelpDesk(
            routes: routes, tickets: { id in state.current.app(id).map { DeskTickets($0.desk) } }, stop: { tickets.stop() }
        ) { configuration, shared throws(CryptoError) in
            let next = try SendbirdState(configuration, shared, services)
            return { state.replace(with: next) }
        }
    }
}
