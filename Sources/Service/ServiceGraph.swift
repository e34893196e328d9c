internal import AdminAPI
internal import Bots
package import Configuration
package import Core
internal import Crypto
internal import Dispatch
internal import HTTPClient
package import HTTPServer
internal import HelpDesk
internal import JSON
package import Observability
internal import Storage
internal import Threading
package import Time
internal import Tracing

/// All objects of the service, built once from a configuration. The binary and the tests use the same graph.
package struct ServiceGraph: Sendable {
    package let publicRouter: Router
    package let adminRouter: Router
    /// The lifetime of a security key that is minted for a relayed registration, in seconds.
    private static let relayKeySeconds: UInt64 = 600
    let helpDeskState: SnapshotReference<HelpDeskState>
    /// The calls of the apps' backends; their client must be closed after the public listener.
    let backends: BackendServices
    private let recorder: AuthorizationRecorder
    let authorizations: AuthorizationInquiry
    /// The client of the help desks; must be closed after the public listener.
    let helpDeskClient: LazyClient
    /// Announces events that may invalidate cached data about people.
    let invalidation: CacheInvalidation
    let operatorState: SnapshotReference<OperatorState>
    /// Creates and exports the spans of traces; must be stopped after all producers of spans.
    let traces: TraceExporter
    private let publicGate: PublicGate
    private let listenerPressure: ListenerPressure
    /// The help desks; must be closed after the public listener.
    let helpDesks: [ServedHelpDesk]
    /// The bots; must be closed after the public listener.
    let bots: ServedBots
    /// The expiries of the listeners' certificates, in Unix seconds.
    private let certificateExpiries: Monitor<[(listener: String, expiresAt: UnixSeconds)]>
    let metrics: ServiceMetrics
    let readiness: Readiness
    /// The configuration in force, in the form for operators.
    let record: ConfigurationRecord
    /// Samples the log lines that any client can cause.
    let denials: DenialLog
    /// Serves operators; must be stopped after its listener.
    let admin: AdminListener
    let deliveryMetrics: DeliveryMetrics
    let store: any Store
    /// Keeps the revocations in force like those in the store.
    let revocations: RevocationPoller
    let keyUses: KeyUsageFlusher
    let watch: OperatorWatch
    private let answers: WatchedAnswers
    /// Finds the severe problems, without waiting for the store.
    let severeProblems: @Sendable () -> [SevereProblem]
    /// Tests the notifiers; nil until they run.
    let trials = Monitor<NotifierTrials?>(nil)
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
        let store = try Self.open(openStore)
        self.store = store
        let traces = TraceExporter(
            registry: metrics.registry, logger: logger, clocks: clocks, version: Version.current,
            instance: Self.instanceName(store, clocks))
        self.traces = traces
        let backends = try Self.orStartError { [metrics] () throws(CryptoError) in
            try BackendServices(metrics: metrics.helpDesks, clocks: clocks, logger: logger, tracer: traces.tracer)
        }
        self.backends = backends
        let helpDeskClient = LazyClient(settings: HelpDeskServices.clientSettings)
        self.helpDeskClient = helpDeskClient
        let recorder = AuthorizationRecorder(now: clocks.unixSeconds)
        self.recorder = recorder
        let states = try Self.orStartError { [metrics] () throws(CryptoError) in
            try Self.states(configuration, metrics: metrics, backends: backends, recorder: recorder)
        }
        helpDeskState = SnapshotReference(states.helpDesks)
        operatorState = SnapshotReference(states.operators)
        let expiries = Monitor(configuration.certificateExpiries)
        certificateExpiries = expiries
        metrics.registerCertificateExpiries { expiries.withLock { $0 } }
        let authorizations = AuthorizationInquiry(recorder, helpDeskState, store: store, clocks: clocks)
        self.authorizations = authorizations
        let invalidation = CacheInvalidation()
        self.invalidation = invalidation
        let revocations = RevocationPoller(store, copy: configuration.store.revocationCopy, logger: logger, clocks: clocks) {
            [helpDeskState] change in
            invalidation.tell(.revocations(change))
            guard let backends = helpDeskState.current.backends else { return }
            switch change {
            case .added(let revocation): backends.forget(revocation)
            case .removed: break
            case nil: backends.forgetAll()
            }
        }
        // Before anything is served.
        revocations.refresh()
        self.revocations = revocations
        let isCopied = configuration.store.revocationsPath != nil
        metrics.registerRevocations(isCopied: isCopied, { revocations.live.current.count }, status: { revocations.status })
        let inbox = Monitor(DispatcherInbox())
        dispatcherInbox = inbox
        let (answers, facts) = (WatchedAnswers(metrics, clocks: clocks), WatchedStore())
        self.answers = answers
        record = ConfigurationRecord(configuration, clocks: clocks)
        metrics.registerReloads(record)
        metrics.registerConfiguration(record)
        metrics.registerQueueLimits(configuration.store)
        metrics.registerBackends(helpDeskState)
        metrics.registerStoreClock(store)
        let keyUses = KeyUsageFlusher(metrics.helpDesks.keyUses, helpDeskState, store: store, logger: logger, clocks: clocks)
        // Before anything is served. A store that has just not responded is not read again; `runIfDue` reads it later.
        if revocations.status.source == .store { try? keyUses.read() }
        self.keyUses = keyUses
        readiness = Readiness(store: store, dispatcherInbox: inbox, record: record, revocations: revocations)
        let denials = DenialLog(logger: logger, monotonicMilliseconds: clocks.monotonicMilliseconds)
        self.denials = denials
        let pressure = ListenerPressure(metrics.registry, denials: denials, clocks: clocks)
        listenerPressure = pressure
        let services = HelpDeskServices(
            state: helpDeskState, revocations: revocations.live, store: store, metrics: metrics.helpDesks, clocks: clocks,
            random: RandomPool(), logger: logger, denials: denials, tracer: traces.tracer, client: helpDeskClient,
            invalidation: invalidation
        ) { inbox.announceWork() }
        let helpDesks = try Self.orStartError { () throws(CryptoError) in
            var served: [ServedHelpDesk] = []
            for helpDesk in HelpDesk.all { served.append(try helpDesk.serve(configuration, services)) }
            return served
        }
        self.helpDesks = helpDesks
        let tickets: @Sendable (String) -> (any TicketDesk)? = { app in helpDesks.lazy.compactMap { $0.tickets(app) }.first }
        let bots = ServedBots(configuration, services: services, registry: metrics.registry, tickets: tickets)
        self.bots = bots
        let gate = PublicGate(configuration.callers, registry: metrics.registry, denials: denials)
        publicGate = gate
        let routes = helpDesks.flatMap(\.routes) + bots.routes
        // Without restrictions no check is made per request; only a restart can change that.
        publicRouter = Router(
            (configuration.callers.areRestricted ? routes.map(gate.guarding) : routes) + HealthRoutes(readiness: readiness).routes)
        let deliveryMetrics = DeliveryMetrics(registry: metrics.registry, store: store, clocks: clocks, inbox: inbox)
        self.deliveryMetrics = deliveryMetrics
        let problems: @Sendable ([PendingDeliveries]) -> ProblemSearch = { [helpDeskState, operatorState, record, store] pending in
            ProblemSearch(
                operatorState.current.configuration, now: clocks.unixMilliseconds(), store: store.refusal, revocations: revocations.status,
                refusal: record.refusal, statuses: Self.statuses(inbox), pending: pending,
                replicas: store.replicas, keysDigest: helpDeskState.current.authorizer.keysDigest,
                revokedKeys: helpDeskState.current.authorizer.revokedKeys(revocations.live.current, now: clocks.unixSeconds()),
                crowded: pressure.crowded,
                backends: helpDeskState.current.backends?.statuses ?? [], answers: answers.look(), letsIn: answers.letsIn,
                nearestApp: answers.nearestApp, unserved: answers.unservedDevices, facts: facts.facts)
        }
        let currentProblems: @Sendable () -> ProblemSearch = { problems((try? store.pending()) ?? []) }
        metrics.registerProblems { currentProblems().counts }
        // Uses the deliveries that the watch has read last, so that it does not wait for the store.
        let severeProblems: @Sendable () -> [SevereProblem] = { problems(facts.facts.pending).severe }
        self.severeProblems = severeProblems
        let watch = OperatorWatch(
            configuration, store: store, facts: facts, inbox: inbox, authorizeRequests: metrics.helpDesks.authorizeRequests,
            problems: severeProblems, logger: logger, clocks: clocks)
        self.watch = watch
        metrics.registerDisks { watch.disks }
        let openAPI = OpenAPIDocument()
        admin = AdminListener(
            AdminServices(
                state: operatorState, store: store, registry: metrics.registry, clocks: clocks, logger: logger, denials: denials,
                status: { [readiness, helpDeskState, store] language in
                    var status = readiness.json(in: language)
                    KeyStatus(
                        helpDeskState.current.authorizer, uses: keyUses.uses, replicas: store.replicas,
                        revocations: revocations.live.current, isServing: true, now: clocks.unixSeconds()
                    ).append(to: &status)
                    currentProblems().append(to: &status, in: language)
                    return .object(status)
                }, openAPI: { openAPI.response }, holds: { inbox.withLock { $0.holds } },
                notifiers: { Self.statuses(inbox) },
                onGivenUp: { count, notifier, reason in
                    deliveryMetrics.countEnded(count, notifier: notifier, .dead, reason: reason.rawValue)
                },
                onRevocation: { change in
                    revocations.take(change)
                    // The change may include an event that ends sessions.
                    inbox.announceWork()
                }, revocations: revocations.live,
                tickets: tickets,
                sessions: { app, user in helpDesks.lazy.compactMap { $0.sessions(app, user) }.first },
                authorizations: { authorizations.known(appID: $0, userID: $1) }, onForget: { authorizations.forget($0) },
                backend: { [helpDeskState] app in helpDeskState.current.backends?.status(of: app) }, problems: currentProblems,
                trials: { [trials] in trials.withLock { $0 } }, onWork: { inbox.announceWork() }))
        adminRouter = admin.router(isLocal: configuration.admin.isLocal)
        openAPI.describe(publicListener: publicRouter, adminListener: adminRouter)
    }

    private static func statuses(_ inbox: Monitor<DispatcherInbox>) -> [NotifierStatus] {
        inbox.withLock { $0.statuses }.map { name, state, pause, failure, doubt, expiry, next in
            NotifierStatus(
                name: name, state: state, pause: pause.map { ($0.reason, $0.remedy) }, lastFailure: failure, settingsProblem: doubt,
                credentialExpiresAt: expiry, nextAttemptAt: next)
        }
    }

    private static func orStartError<Result>(_ body: () throws(CryptoError) -> Result) throws(StartError) -> Result {
        do throws(CryptoError) {
            return try body()
        } catch {
            throw .crypto(error)
        }
    }

    /// - Parameter former: the state in force; nil at the start.
    private static func states(
        _ configuration: Configuration, metrics: ServiceMetrics, backends: BackendServices, recorder: AuthorizationRecorder,
        former: HelpDeskState? = nil
    ) throws(CryptoError) -> (helpDesks: HelpDeskState, operators: OperatorState) {
        let authorizer = try configuration.makeAuthorizer()
        let verifiers = try backends.verifiers(of: configuration, authorizer, former: former?.backends)
        let helpDesks = HelpDeskState(
            configuration, authorizer: authorizer, backends: verifiers, recorder: recorder, metrics: metrics.helpDesks)
        return (
            helpDesks,
            OperatorState(configuration, authorizer: authorizer, registryAudience: helpDesks.subscriptions.registry)
        )
    }

    /// Builds the state for another configuration, and returns a function that applies it. Nothing changes until that is called.
    /// - Throws: when OpenSSL fails.
    func prepare(_ next: Configuration) throws(CryptoError) -> () -> Void {
        let states = try Self.states(next, metrics: metrics, backends: backends, recorder: recorder, former: helpDeskState.current)
        var prepared: [() -> Void] = []
        for helpDesk in helpDesks { prepared.append(try helpDesk.prepare(next, states.helpDesks)) }
        prepared.append(bots.prepare(next, states.helpDesks))
        let (expiries, callers) = (next.certificateExpiries, CallerRules(next.callers))
        // An unchanged configuration repairs nothing, however often it is reloaded.
        let isChanged = next.sources != operatorState.current.configuration.sources
        return {
            publicGate.rules.replace(with: callers)
            helpDeskState.replace(with: states.helpDesks)
            for putInForce in prepared { putInForce() }
            operatorState.replace(with: states.operators)
            certificateExpiries.withLock { $0 = expiries }
            watch.take(next)
            if isChanged { answers.noteChange() }
        }
    }

    /// The name of this process among those that share its store; a random name when the store is not shared.
    private static func instanceName(_ store: any Store, _ clocks: Clocks) -> @Sendable () -> String {
        let own = (try? UUIDv7(milliseconds: clocks.unixMilliseconds(), from: RandomPool()))?.description ?? "unnamed"
        return { store.replicas.first { $0.isOwn }?.id ?? own }
    }

    private static func open(_ openStore: () throws(StoreError) -> any Store) throws(StartError) -> any Store {
        do throws(StoreError) {
            return try openStore()
        } catch {
            throw .store(error)
        }
    }

    /// Mints short-lived security keys, which the help desk may send to any replica for authorization within the next minutes.
    func mintKey(clocks: Clocks) -> @Sendable (_ appID: String, _ userID: String) -> String? {
        { [helpDeskState, store] appID, userID in
            let minting = KeyMinting(helpDeskState.current.authorizer, defaultLifetimeSeconds: Self.relayKeySeconds)
            return try? minting.mintShortLived(
                appID: appID, userID: userID, lifetimeSeconds: Self.relayKeySeconds,
                now: store.sharedTime(of: clocks.unixMilliseconds()).seconds
            ).securityKey
        }
    }

    /// The callers without an individual limit at a listener, and the report of reached limits.
    func pressure(on listener: CrowdedListener.Name) -> ConnectionPressure {
        let (gate, pressure) = (listener == .public ? publicGate : nil, listenerPressure)
        return ConnectionPressure(
            isUnbounded: { gate?.expects($0) ?? false }, onReachedBound: { pressure.note(listener, $0) },
            onBodyWithoutRoom: { pressure.noteBody(listener, peer: $0) })
    }

    /// Counts the responses of a listener.
    /// - Parameter watched: a status whose series exists from the start.
    func observer(listener: CrowdedListener.Name, of router: Router, watched: Int? = nil) -> ResponseObserver {
        let counters = metrics.httpCounters(listener: listener.rawValue, routes: router.routes.map { "\($0.path)" }, watched: watched)
        return { route, status in counters.count(route: route, status: status) }
    }
}
