internal import AdminAPI
internal import Bots
package import Configuration
internal import Core
internal import Crypto
internal import Dispatch
internal import HTTPClient
package import HTTPServer
internal import HelpDesk
package import Observability
internal import POSIX
internal import Storage
internal import Threading
package import Time
internal import Tracing

/// The service with its listeners open: start, reload, stop.
package final class RunningService: Sendable {
    private let configuration: Configuration
    let graph: ServiceGraph
    private let logger: Logger
    private let deliveries: DeliveryServices
    private let publicServer: Server
    private let adminServer: Server
    private let warnings: WarningLog
    // Without this thread, sampled lines are reported only with the next line of their kind, and certificate warnings come only from
    // `check` and reloads.
    private let chores: PeriodicTasks?
    /// Polls for revocations and queries of other processes, on its own thread, because the store may hang.
    private let revocations: PeriodicTasks
    /// Updates the copy of the revocations, on its own thread, because its disk may hang.
    private let copying: PeriodicTasks
    /// One logs the problems, one detects operators' conditions, each on its own thread: only the second one may wait for the store.
    private let watches: [PeriodicTasks]
    /// The settings for the next opening of the store: a reload may have changed the password.
    private let store: Monitor<Configuration.Store>
    /// The certificates that the public and the admin listener use.
    let identities: Monitor<[TLSIdentity?]>

    /// The address of the public listener, with the port that the system chose.
    package var publicAddress: ListenAddress { publicServer.address }
    /// The address of the admin listener, with the port that the system chose.
    package var adminAddress: ListenAddress { adminServer.address }

    /// Opens both listeners and begins to serve.
    ///
    /// The admin listener opens first, so that the public one responds only when all parts run.
    package init(_ configuration: Configuration, logger: Logger, clocks: Clocks = .system) throws(StartError) {
        self.configuration = configuration
        self.logger = logger
        let store = Monitor(configuration.store)
        self.store = store
        graph = try ServiceGraph(configuration, logger: logger, clocks: clocks) { () throws(StoreError) in
            let replica = try PostgresStore.newReplica()
            return try openWhenPossible(
                logger: logger, onOpen: { StrandedDeliveries.warn($0, configured: configuration.runningNotifiers, logger) }
            ) { isAgain throws(StoreError) in
                try store.withLock { $0 }.open(
                    devicesPerUser: configuration.pushTokens.devicesPerUser, movesAgain: isAgain, replica: replica)
            }
        }
        (revocations, copying, watches, deliveries, adminServer, publicServer) = try Self.start(
            configuration, graph: graph, logger: logger, clocks: clocks)
        graph.metrics.registerListeners([
            ("public", publicServer, configuration.listen.settings), ("admin", adminServer, configuration.admin.listener.settings),
        ])
        let backups = BackupRecord(configuration.store)
        if let backups { graph.metrics.registerBackups { backups.time } }
        let (warnings, denials) = (WarningLog(configuration, logger: logger, clocks: clocks), graph.denials)
        self.warnings = warnings
        identities = Monitor([configuration.listen.settings.tls, configuration.admin.listener.settings.tls])
        let keyUses = graph.keyUses
        keyUses.announce()
        let newStore = NewStoreLog(graph.store, configuration.store, logger: logger)
        chores = try? PeriodicTasks {
            newStore.tell()
            denials.flush()
            warnings.logDaily()
            keyUses.runIfDue()
            backups?.refresh()
        }
        logger.log(
            .info, message: "serving",
            fields: [
                "version": .string(Version.current), "public": .string(publicAddress.description),
                "admin": .string(adminAddress.description), "apps": .integer(configuration.apps.count),
            ])
        // Logged now and not at its opening, because a failed start logs only its error.
        newStore.tell()
    }

    /// Starts everything that has threads. If one part fails, the parts started before it are stopped.
    private static func start(
        _ configuration: Configuration, graph: ServiceGraph, logger: Logger, clocks: Clocks
    ) throws(StartError) -> (
        revocations: PeriodicTasks, copying: PeriodicTasks, watches: [PeriodicTasks], deliveries: DeliveryServices, admin: Server,
        public: Server
    ) {
        var (revocations, copying, deliveries): (PeriodicTasks?, PeriodicTasks?, DeliveryServices?)
        var watches: [PeriodicTasks] = []
        do {
            let (opener, operators, authorizations) = (graph.revocations, graph.watch, graph.authorizations)
            let refreshing = try chore(everyMilliseconds: RevocationPoller.intervalMilliseconds) {
                opener.refresh()
                authorizations.answer()
            }
            revocations = refreshing
            let renewing = try chore(everyMilliseconds: RevocationPoller.intervalMilliseconds) { opener.renewCopy() }
            copying = renewing
            try prepareTraces(configuration, graph)
            let started = try DeliveryServices(configuration, graph, logger: logger, clocks: clocks)
            deliveries = started
            graph.trials.withLock { $0 = started.trials }
            // After the notifiers exist: a missing notifier would be treated as removed from the configuration.
            watches.append(try chore(everyMilliseconds: OperatorWatch.intervalMilliseconds) { operators.logProblems() })
            watches.append(try chore(everyMilliseconds: OperatorWatch.intervalMilliseconds) { operators.look() })
            let (admin, publicServer) = try listen(configuration, graph: graph, logger: logger)
            return (refreshing, renewing, watches, started, admin, publicServer)
        } catch {
            deliveries?.stop(drainMilliseconds: 0)
            graph.traces.stop()
            graph.admin.stop()
            revocations?.stop()
            copying?.stop()
            for watch in watches { watch.stop() }
            graph.store.close()
            throw error
        }
    }

    private static func prepareTraces(_ configuration: Configuration, _ graph: ServiceGraph) throws(StartError) {
        do throws(ThreadError) {
            try graph.traces.prepare(configuration.traces)
        } catch {
            throw .traces(error)
        }
        graph.traces.use(configuration.traces)
    }

    private static func chore(
        everyMilliseconds interval: UInt64, _ work: @escaping @Sendable () -> Void
    ) throws(StartError) -> PeriodicTasks {
        do throws(ThreadError) {
            return try PeriodicTasks(everyMilliseconds: interval, work)
        } catch {
            throw .store(StoreError(.unavailable, error.description))
        }
    }

    private static func listen(
        _ configuration: Configuration, graph: ServiceGraph, logger: Logger
    ) throws(StartError) -> (admin: Server, public: Server) {
        let admin = try listen(
            configuration.admin.listener, router: graph.adminRouter, observer: graph.observer(listener: .admin, of: graph.adminRouter),
            pressure: graph.pressure(on: .admin), logger: logger, threads: 1)
        do {
            let publicServer = try listen(
                configuration.listen, router: graph.publicRouter,
                observer: graph.observer(listener: .public, of: graph.publicRouter, watched: 503),
                pressure: graph.pressure(on: .public), logger: logger, threads: nil)
            return (admin, publicServer)
        } catch {
            admin.stop(drainMilliseconds: 0)
            throw error
        }
    }

    /// Applies another configuration completely or not at all. Changes of a listener, the log or the shutdown need a restart.
    /// - Parameter read: reads the configuration.
    /// - Returns: whether it is in force now; if not, the log contains the reason.
    @discardableResult
    package func reload(_ read: () throws(ConfigurationError) -> Configuration) -> Bool {
        do throws(ConfigurationError) {
            let next = try read()
            let fixed = configuration.fixedKeys(differingFrom: next)
            guard fixed.isEmpty else {
                return refuseReload(fixed.map(next.refusal), in: next.sources.files.first ?? "", keys: fixed)
            }
            return replaceState(with: next)
        } catch {
            return refuseReload(error.problems, in: error.file)
        }
    }

    /// - Parameter file: the configuration. Its absolute path is logged, because the log is read from any directory.
    private func refuseReload(_ problems: [ConfigurationProblem], in file: String, keys: [String] = []) -> Bool {
        let file = ConfigurationRecord.wholePath(of: file)
        return refuseReload(problems.map { $0.line(in: file) }, keys: keys)
    }

    /// Accepts no more connections, starts no further attempts, finishes running work within the configured time, and closes.
    /// - Returns: whether the store was closed; if not, the log has the reason.
    @discardableResult
    package func stop() -> Bool {
        graph.readiness.stop()
        // Before the log line, so that no attempt begins after it.
        deliveries.beginStopping()
        logger.log(.info, message: "stopping")
        let drainMilliseconds = UInt64(configuration.drainSeconds) * 1000
        // Requests and attempts share one deadline, because the supervisor's timeout runs from now.
        let deadline = SystemClock.monotonicMilliseconds() + drainMilliseconds
        publicServer.stop(drainMilliseconds: drainMilliseconds)
        // After the requests that wait for it; the remaining requests were answered 503.
        graph.backends.close()
        graph.helpDeskClient.close()
        for helpDesk in graph.helpDesks { helpDesk.close() }
        graph.bots.close()
        deliveries.stop(drainMilliseconds: SystemClock.monotonicMilliseconds().remaining(until: deadline))
        // After all producers of spans.
        graph.traces.stop(drainMilliseconds: SystemClock.monotonicMilliseconds().remaining(until: deadline))
        adminServer.stop(drainMilliseconds: TimeLimit.milliseconds(1000))
        graph.admin.stop()
        revocations.stop()
        copying.stop()
        for watch in watches { watch.stop() }
        // The copy gets the latest revocations.
        if graph.store.refusal == nil {
            graph.revocations.refresh()
            graph.revocations.renewCopy(isLast: true)
        }
        graph.keyUses.save()
        let unclosed = graph.store.close()
        chores?.stop()
        graph.denials.flush(all: true)
        if let unclosed {
            logger.log(.error, message: "stopped without closing the store", fields: ["reason": .string(unclosed.description)])
        }
        logger.log(.info, message: "stopped")
        return unclosed == nil
    }

    private func replaceState(with next: Configuration) -> Bool {
        do {
            let putInForce = try graph.prepare(next)
            try graph.traces.prepare(next.traces)
            try renewCertificates(next)
            // Before any event is accepted for a new notifier.
            try deliveries.reload(next)
            putInForce()
            graph.traces.use(next.traces)
            graph.keyUses.announce()
        } catch {
            return refuseReload(["\(error)"])
        }
        store.withLock { $0 = next.store }
        graph.record.noteLoaded(next)
        graph.metrics.countReload(succeeded: true)
        logger.setLevel(next.log.level)
        logger.log(.info, message: "configuration reloaded", fields: ["apps": .integer(next.apps.count)])
        warnings.tell(next)
        return true
    }

    /// Loads the listeners' certificates from their files if they have changed.
    private func renewCertificates(_ next: Configuration) throws(ServerError) {
        let shown = identities.withLock { $0 }
        let wanted = [next.listen.settings.tls, next.admin.listener.settings.tls]
        for (index, server) in [publicServer, adminServer].enumerated() {
            guard let identity = wanted[index], identity != shown[index] else { continue }
            try server.replaceIdentity(with: identity)
            identities.withLock { $0[index] = identity }
            logger.log(.info, message: "certificate renewed", fields: ["listener": .string(index == 0 ? "public" : "admin")])
        }
    }

    private func refuseReload(_ reasons: [String], keys: [String] = []) -> Bool {
        graph.record.noteRefused(reasons, keys: keys)
        graph.metrics.countReload(succeeded: false)
        for reason in reasons {
            logger.log(.error, message: "configuration not reloaded", fields: ["reason": .string(reason)])
        }
        return false
    }

    private static func listen(
        _ listener: Configuration.Listener, router: Router, observer: @escaping ResponseObserver, pressure: ConnectionPressure,
        logger: Logger, threads: Int?
    ) throws(StartError) -> Server {
        var (settings, pressure) = (listener.settings, pressure)
        if let threads { settings.threads = threads }
        pressure.onDescriptorShortage = {
            logger.log(
                .error, message: "no file descriptor left: new connections are answered 503",
                fields: [
                    "listener": .string(listener.address.description),
                    "remedy": .string("raise the limit of open files above max_connections (LimitNOFILE=, ulimit -n) and restart"),
                ])
        }
        do throws(ServerError) {
            return try Server(listener.address, router: router, settings: settings, observer: observer, pressure: pressure)
        } catch {
            throw .listener(error)
        }
    }
}
