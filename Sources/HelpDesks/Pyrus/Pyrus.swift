internal import Configuration
internal import Core
internal import Crypto
internal import HTTPServer
package import HelpDesk
internal import Threading

extension HelpDesk {
    /// Pyrus: `/pyrus/authorize`, `/pyrus/webhook`, `/pyrus/push-token`, and the relay of registrations to Pyrus' own registry of push
    /// tokens.
    package static let pyrus = HelpDesk(
        kind: .pyrus,
        serve: { configuration, services throws(CryptoError) in try Pyrus(configuration, services).served },
        makeRelay: { relay, services, client in try PyrusNotifier(relay, services, client: client) },
        signatures: [
            HelpDeskSignature(WebhookSignature.scheme) { header, body, secret throws(CryptoError) in
                guard let signature = WebhookSignature(header.utf8.span) else { return false }
                let key = try secret.withSpan { secret throws(CryptoError) in try HMACKey<SHA1>(secret: secret) }
                return try signature.isGenuine(for: body.span, key)
            } secrets: { app in
                [HelpDeskSignature.Secrets(key: "webhook.signature_secret", values: app.webhook?.signatureSecrets ?? [])]
            }
        ])
}

final class PyrusState: Sendable {
    let shared: HelpDeskState
    let counters: AuthorizeCounters
    let webhooks: WebhookApps

    /// - Throws: when OpenSSL fails.
    init(_ configuration: Configuration, shared: HelpDeskState, metrics: HelpDeskMetrics) throws(CryptoError) {
        self.shared = shared
        counters = AuthorizeCounters(metrics.authorizeRequests, shared.authorizer.applications)
        webhooks = try WebhookApps(
            configuration.apps.filter { $0.helpDesk == .pyrus }, of: configuration, counters: metrics.webhookEvents)
    }
}

private struct Pyrus {
    let served: ServedHelpDesk

    init(_ configuration: Configuration, _ services: HelpDeskServices) throws(CryptoError) {
        let state = SnapshotReference(try PyrusState(configuration, shared: services.state.current, metrics: services.metrics))
        served = ServedHelpDesk(
            routes: [AuthorizeRoute(state: state, services).route, PushTokenRoute("/pyrus/push-token", of: .pyrus, services).route]
                + WebhookRoute(state: state, services).routes
        ) { configuration, shared throws(CryptoError) in
            let next = try PyrusState(configuration, shared: shared, metrics: services.metrics)
            return { state.replace(with: next) }
        }
    }
}
