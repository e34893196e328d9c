package import Core
package import Crypto
package import HTTPServer
package import Observability
internal import Storage
internal import Threading

/// All objects of the service, built once from a configuration; the binary and the tests use the same.
package struct ServiceGraph: Sendable {
    /// What the help desk may ask.
    package let publicRouter: Router
    /// What operators and backends may ask.
    package let adminRouter: Router
    private let adminRoutes: [Route]
    let state: LiveStateHolder
    let metrics: ServiceMetrics
    let readiness: Readiness
    let store: any Store
    /// What tells the dispatcher that something has been accepted.
    let dispatcherInbox: Monitor<DispatcherInbox>

    /// Builds the graph.
    /// - Parameters:
    ///   - logger: takes what operators should know.
    ///   - store: keeps events and deliveries; stays the caller's to close.
    ///   - clocks: the time.
    /// - Throws: when OpenSSL fails.
    package init(
        _ configuration: Configuration, logger: Logger, store: any Store = MemoryStore(), clocks: Clocks = .system
    ) throws(CryptoError) {
        self.store = store
        let inbox = Monitor(DispatcherInbox())
        dispatcherInbox = inbox
        readiness = Readiness(store: store, dispatcherInbox: inbox)
        metrics = ServiceMetrics(registry: MetricsRegistry(), version: Version.current)
        state = LiveStateHolder(try LiveState(configuration, metrics: metrics))
        let authorize = AuthorizeRoute(state: state, duration: metrics.authorizeDuration, logger: logger, clocks: clocks)
        let webhook = WebhookRoute(state: state, store: store, clocks: clocks, logger: logger) { inbox.update { $0.hasNews = true } }
        publicRouter = Router([authorize.route] + webhook.routes + HealthRoutes(readiness: readiness).routes)
        adminRoutes = AdminRoutes(state: state, registry: metrics.registry, logger: logger, clocks: clocks).routes
        adminRouter = Router(adminRoutes)
    }

    /// The operators' router with further routes.
    func adminRouter(adding routes: [Route]) -> Router {
        Router(adminRoutes + routes)
    }

    /// Counts the responses of a listener.
    func observer(listener: String, of router: Router) -> ResponseObserver {
        let counters = metrics.httpCounters(listener: listener, routes: router.routes.map { "\($0.path)" })
        return { route, status in counters.count(route: route, status: status) }
    }
}
