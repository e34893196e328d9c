internal import Configuration
internal import Core
internal import Crypto
internal import HTTPServer
package import HelpDesk
internal import Threading
internal import URLPreviews

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
    }

    /// What all help desks use of the same configuration.
    let shared: HelpDeskState
    private let apps: [ByteKey: App]

    /// Takes the snapshot of a configuration.
    /// - Throws: when OpenSSL fails.
    init(_ configuration: Configuration, _ shared: HelpDeskState, _ metrics: HelpDeskMetrics) throws(CryptoError) {
        self.shared = shared
        let apps = configuration.apps.compactMap { app in app.sendbird.map { App(id: app.id, settings: $0) } }
        for app in apps where app.settings.makesURLPreviews { URLPreviewResult.expect(app.id, in: metrics.urlPreviews) }
        self.apps = Dictionary(apps.map { (ByteKey($0.id), $0) }) { first, _ in first }
    }

    /// The app with exactly this id, if it is one of Sendbird's.
    func app(_ id: String) -> App? { apps[ByteKey(id)] }
}

/// The routes of Sendbird's apps.
private struct Sendbird {
    let served: ServedHelpDesk

    init(_ configuration: Configuration, _ services: HelpDeskServices) throws(CryptoError) {
        let state = Live(try SendbirdState(configuration, services.state.current, services.metrics))
        var routes: [Route] = []
        routes.append(PushTokenRoute("/sendbird/push-token", of: .sendbird, services).route)
        let previewer = URLPreviewer()
        routes.append(URLPreviewRoute(state: state, services, previewer).route)
        served = ServedHelpDesk(routes: routes, close: previewer.close) { configuration, shared throws(CryptoError) in
            let next = try SendbirdState(configuration, shared, services.metrics)
            return { state.replace(with: next) }
        }
    }
}
