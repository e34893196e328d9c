internal import Configuration
internal import Core
internal import HTTPServer
internal import Observability
internal import Storage
internal import Threading
internal import Time

/// What brings events to their notifiers: the notifiers with their clients, and the dispatcher.
final class DeliveryServices: Sendable {
    private let factory: NotifierFactory
    private let dispatcher: Dispatcher
    private let handlers: AdminHandlers
    private let store: any Store
    private let logger: Logger
    /// The notifiers of the configuration in force, by name, and all that may still have to be closed.
    private let served: Monitor<(current: [String: ServedNotifier], opened: [ServedNotifier])>

    /// What operators may ask of the store.
    var routes: [Route] { DeliveryRoutes(handlers: handlers).routes + DeviceRoutes(handlers: handlers).routes }

    /// Makes the notifiers and starts the dispatcher.
    init(
        _ configuration: Configuration, _ graph: ServiceGraph, logger: Logger, clocks: Clocks
    ) throws(RunningService.StartError) {
        let factory = NotifierFactory(logger: logger, clocks: clocks, mintKey: graph.mintKey(clocks: clocks))
        var opened: [ServedNotifier] = []
        do {
            opened = try factory.make(all: configuration.notifiers)
            let days: UInt64 = 24 * 3600 * 1000
            let retention = Retention(
                deliveredMilliseconds: UInt64(configuration.deliveries.keepDeliveredDays) * days,
                deadMilliseconds: UInt64(configuration.deliveries.keepDeadDays) * days,
                idleDeviceMilliseconds: UInt64(configuration.pushTokens.forgetAfterDays) * days,
                eventLifeMilliseconds: UInt64(configuration.deliveries.expireAfterSeconds) * 1000)
            let inbox = graph.dispatcherInbox
            let metrics = DeliveryMetrics(registry: graph.metrics.registry, store: graph.store, clocks: clocks, inbox: inbox)
            handlers = try AdminHandlers(gate: graph.adminGate, store: graph.store, clocks: clocks) {
                inbox.withLock { $0.holds }
            } onGivenUp: { count, notifier in
                metrics.countEnded(count, notifier: notifier, .dead, reason: DeliveryMetrics.purged)
            } onWork: {
                inbox.announceNews()
            }
            dispatcher = try Dispatcher(
                store: graph.store, notifiers: Self.byName(opened), retention: retention,
                metrics: metrics, logger: logger, clocks: clocks, inbox: inbox)
        } catch {
            for notifier in opened { notifier.close() }
            throw .notifiers("\(error)")
        }
        self.factory = factory
        self.logger = logger
        store = graph.store
        served = Monitor((Self.byName(opened), opened))
    }

    /// Goes on with the notifiers of another configuration, all of them or none; those that were switched off may try again.
    ///
    /// What has not changed keeps its connections and provider tokens, of which Apple wants a new one once in 20 minutes at most.
    func reload(_ configuration: Configuration) throws(NotifierFactory.Failure) {
        let current = served.withLock { $0.current }
        let kept = configuration.notifiers.compactMap { notifier in
            current[notifier.name].flatMap { $0.configuration == notifier ? $0 : nil }
        }
        let changed = configuration.notifiers.filter { current[$0.name]?.configuration != $0 }
        let made = try factory.make(all: changed)
        let next = Self.byName(kept + made)
        dispatcher.replace(with: next)
        served.update { served in
            served.current = next
            served.opened = served.opened.filter { !$0.hasClosed } + made
        }
        StrandedDeliveries.warn(store, configured: next.keys, logger)
    }

    /// Starts nothing more; what is accepted from now on waits for the next start.
    func beginStopping() {
        dispatcher.beginStopping()
    }

    /// Starts nothing more, waits for what runs, and closes the clients.
    func stop(drainMilliseconds: UInt64) {
        dispatcher.stop(drainMilliseconds: drainMilliseconds)
        for notifier in served.withLock({ $0.opened }) { notifier.close() }
    }

    /// Ends the thread behind the routes; call it once, after the listener has stopped.
    func stopRoutes() {
        handlers.stop()
    }

    private static func byName(_ notifiers: [ServedNotifier]) -> [String: ServedNotifier] {
        Dictionary(notifiers.compactMap { notifier in notifier.configuration.map { ($0.name, notifier) } }) { first, _ in first }
    }
}
