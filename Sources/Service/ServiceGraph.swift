package import Configuration
package import Core
internal import Crypto
internal import Dispatch
package import HTTPServer
internal import HelpDesk
internal import JSON
package import Observability
internal import Operators
internal import Storage
internal import Threading
package import Time

/// All objects of the service, built once from a configuration. The binary and the tests use the same graph.
package struct ServiceGraph: Sendable {
    /// The routes of the public listener.
    package let publicRouter: Router
    /// The routes of the admin listener.
    package let adminRouter: Router
    /// The lifetime of a security key that is minted for a relayed registration, in seconds.
    private static let relayKeySeconds: UInt64 = 600
    let helpDeskState: Live<HelpDeskState>
    let operatorState: Live<OperatorState>
    private let helpDesks: [ServedHelpDesk]
    /// When the certificates of the listeners expire, in Unix seconds.
    private let certificateExpiries: Monitor<[(listener: String, expiresAt: UnixSeconds)]>
    let metrics: ServiceMetrics
    let readiness: Readiness
    /// Samples the log lines that strangers can cause.
    let denials: DenialLog
    /// Answers operators; must be stopped after its listener.
    let admin: AdminListener
    let deliveryMetrics: DeliveryMetrics
    let store: any Store
    /// Keeps when keys were used.
    let keyUses: KeyUseKeeper
    /// Tells the dispatcher of accepted events.
    let dispatcherInbox: Monitor<DispatcherInbox>

    /// Builds the graph.
    /// - Parameters:
    ///     - logger: for lines that operators should see.
    ///     - clocks: the clocks.
    ///     - openStore: opens the store; the caller closes it.
    /// - Throws: when OpenSSL fails, or the store cannot be opened.
    package init(
        _ configuration: Configuration, logger: Logger, clocks: Clocks = .system,
        openStore: () throws(StoreError) -> any Store = { MemoryStore() }
    ) throws(StartError) {
        metrics = ServiceMetrics(registry: MetricsRegistry(), version: Version.current)
        let states = try Self.orStartError { [metrics] () throws(CryptoError) in try Self.states(configuration, metrics) }
        helpDeskState = Live(states.helpDesks)
        operatorState = Live(states.operators)
        let expiries = Monitor(configuration.certificateExpiries)
        certificateExpiries = expiries
        metrics.tellCertificateExpiries { expiries.withLock { $0 } }
        store = try Self.open(openStore)
        let inbox = Monitor(DispatcherInbox())
        dispatcherInbox = inbox
        let keyUses = KeyUseKeeper(metrics.helpDesks.keyUses, helpDeskState, store: store, logger: logger, clocks: clocks)
        self.keyUses = keyUses
        readiness = Readiness(store: store, dispatcherInbox: inbox)
        let denials = DenialLog(logger: logger, monotonicMilliseconds: clocks.monotonicMilliseconds)
        self.denials = denials
        let services = HelpDeskServices(
            state: helpDeskState, store: store, metrics: metrics.helpDesks, clocks: clocks, random: RandomPool(), logger: logger,
            denials: denials
        ) { inbox.announceNews() }
        helpDesks = try Self.orStartError { () throws(CryptoError) in
            var served: [ServedHelpDesk] = []
            for helpDesk in HelpDesk.all { served.append(try helpDesk.serve(configuration, services)) }
            return served
        }
        publicRouter = Router(helpDesks.flatMap(\.routes) + HealthRoutes(readiness: readiness).routes)
        let deliveryMetrics = DeliveryMetrics(registry: metrics.registry, store: store, clocks: clocks, inbox: inbox)
        self.deliveryMetrics = deliveryMetrics
        admin = AdminListener(
            AdminServices(
                state: operatorState, store: store, registry: metrics.registry, clocks: clocks, logger: logger, denials: denials,
                status: { [readiness] in
                    var status = readiness.json
                    keyUses.standing.append(to: &status)
                    return .object(status)
                }, holds: { inbox.withLock { $0.holds } },
                onGivenUp: { count, notifier in
                    deliveryMetrics.countEnded(count, notifier: notifier, .dead, reason: DeliveryMetrics.purged)
                }, onWork: { inbox.announceNews() }))
        adminRouter = admin.router(isLocal: configuration.admin.isLocal)
    }

    private static func orStartError<Result>(_ body: () throws(CryptoError) -> Result) throws(StartError) -> Result {
        do throws(CryptoError) {
            return try body()
        } catch {
            throw .crypto(error)
        }
    }

    private static func states(
        _ configuration: Configuration, _ metrics: ServiceMetrics
    ) throws(CryptoError) -> (helpDesks: HelpDeskState, operators: OperatorState) {
        let authorizer = try configuration.makeAuthorizer()
        let helpDesks = HelpDeskState(configuration, authorizer: authorizer, metrics: metrics.helpDesks)
        return (
            helpDesks,
            OperatorState(configuration, authorizer: authorizer, registryAudience: helpDesks.subscriptions.registry)
        )
    }

    /// Builds the state for another configuration, and returns a function that puts it in force. Nothing changes until that is called.
    /// - Throws: when OpenSSL fails.
    func prepare(_ next: Configuration) throws(CryptoError) -> () -> Void {
        let states = try Self.states(next, metrics)
        var prepared: [() -> Void] = []
        for helpDesk in helpDesks { prepared.append(try helpDesk.prepare(next, states.helpDesks)) }
        let expiries = next.certificateExpiries
        return {
            helpDeskState.replace(with: states.helpDesks)
            for putInForce in prepared { putInForce() }
            operatorState.replace(with: states.operators)
            certificateExpiries.withLock { $0 = expiries }
        }
    }

    private static func open(_ openStore: () throws(StoreError) -> any Store) throws(StartError) -> any Store {
        do throws(StoreError) {
            return try openStore()
        } catch {
            throw .store(error)
        }
    }

    /// Mints short-lived security keys, with which the help desk may ask for authorization within the next minutes.
    func mintKey(clocks: Clocks) -> @Sendable (_ appID: String, _ userID: String) -> String? {
        { [helpDeskState] appID, userID in
            let (authorizer, life) = (helpDeskState.current.authorizer, Self.relayKeySeconds)
            let minting = KeyMinting(authorizer, defaultLifeSeconds: min(life, authorizer.policy.longestLifeSeconds ?? life))
            return try? minting.mint(appID: appID, userID: userID, now: clocks.unixSeconds()).securityKey
        }
    }

    /// Counts the responses of a listener.
    /// - Parameter watched: a status whose series exists from the start.
    func observer(listener: String, of router: Router, watched: Int? = nil) -> ResponseObserver {
        let counters = metrics.httpCounters(listener: listener, routes: router.routes.map { "\($0.path)" }, watched: watched)
        return { route, status in counters.count(route: route, status: status) }
    }
}
