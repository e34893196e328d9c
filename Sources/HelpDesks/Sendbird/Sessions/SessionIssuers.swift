internal import Configuration
internal import Core
internal import HTTPClient
internal import HelpDesk
internal import Threading

/// The session tokens of the apps in one configuration.
struct SessionIssuers: Sendable {
    let counters: SessionCounters
    private let issuers: [ByteKey: SessionIssuer]

    /// Creates the issuers of a configuration. An app with unchanged settings keeps its issuer and the cached tokens.
    /// - Parameter former: the active issuers; nil at the start.
    init(_ configuration: Configuration, _ services: HelpDeskServices, former: SessionIssuers?) {
        var issuers: [ByteKey: SessionIssuer] = [:]
        for app in configuration.apps {
            guard let sendbird = app.sendbird, let settings = sendbird.sessionTokens else { continue }
            let source = SessionSource(
                url: sendbird.chatURL, tokens: sendbird.chatTokens, timeoutMilliseconds: sendbird.timeoutMilliseconds, settings: settings)
            let id = ByteKey(app.id)
            if let kept = former?.issuers[id], kept.hasSource(source) {
                issuers[id] = kept
            } else {
                issuers[id] = Self.make(app.id, source: source, services: services)
            }
        }
        self.issuers = issuers
        counters = SessionCounters(services.metrics.sessionTokenRequests, apps: configuration.apps.filter { $0.sendbird != nil }.map(\.id))
    }

    var longestMilliseconds: UInt64 { issuers.values.lazy.map(\.longestMilliseconds).max() ?? 0 }

    func issuer(of app: String) -> SessionIssuer? { issuers[ByteKey(app)] }

    func handle(_ item: CacheInvalidation.Item) {
        for issuer in issuers.values { issuer.handle(item) }
    }

    private static func make(_ app: String, source: SessionSource, services: HelpDeskServices) -> SessionIssuer {
        let observer = PlatformObserver(
            app: app, requests: services.metrics.helpDeskRequests, durations: services.metrics.helpDeskDurations, logger: services.logger)
        observer.expect(SessionIssuer.requestNames)
        let client = services.client
        let platform = PlatformClient(
            .chat, baseURL: source.url, tokens: source.tokens,
            timeoutMilliseconds: source.timeoutMilliseconds ?? PlatformClient.defaultTimeoutMilliseconds, clocks: services.clocks,
            observer: observer
        ) {
            client.send($0, for: app, completion: $1)
        }
        return SessionIssuer(appID: app, source, platform: platform, services: services)
    }
}
