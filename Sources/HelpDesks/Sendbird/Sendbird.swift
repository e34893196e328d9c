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
        makeRelay: { relay, services, client in SendbirdNotifier(relay, services, client: client) }, signatures: [],
        probes: { app, clocks, client in PlatformProbe.probes(app, clocks, client) })
}

/// The apps of Sendbird in the configuration in force: an immutable snapshot, which a reload replaces.
final class SendbirdState: Sendable {
    /// One app of Sendbird.
    struct App: Sendable {
        /// Its Application ID, which is the last part of its webhooks' paths.
        let id: String
        /// How Sendbird is asked about it, and what is switched on.
        let settings: Configuration.Sendbird
    }

    /// What all help desks use of the same configuration.
    let shared: HelpDeskState
    /// Issues the apps' session tokens.
    let sessions: SessionIssuers
    private let apps: [ByteKey: App]

    /// Takes the snapshot of a configuration.
    /// - Parameter former: the state in force; nil at the start.
    /// - Throws: when OpenSSL fails.
    init(
        _ configuration: Configuration, _ shared: HelpDeskState, _ services: HelpDeskServices, former: SendbirdState? = nil
    ) throws(CryptoError) {
        self.shared = shared
        sessions = SessionIssuers(configuration, services, former: former?.sessions)
        let apps = configuration.apps.compactMap { app in app.sendbird.map { App(id: app.id, settings: $0) } }
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
        routes.append(SessionTokenRoute(state: state, services).route)
        services.news.listen { state.current.sessions.hear($0) }
        served = ServedHelpDesk(routes: routes) { configuration, shared throws(CryptoError) in
            let next = try SendbirdState(configuration, shared, services, former: state.current)
            return { state.replace(with: next) }
        }
    }
}
