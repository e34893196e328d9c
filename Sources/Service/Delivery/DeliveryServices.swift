internal import AdminAPI
internal import Bots
internal import Configuration
internal import Core
internal import Dispatch
internal import HTTPServer
internal import HelpDesk
internal import Observability
internal import Storage
internal import Threading
internal import Time
internal import Tracing

/// Delivers events: the notifiers with their HTTP clients, and the dispatcher.
final class DeliveryServices: Sendable {
    private let factory: NotifierFactory
    private let dispatcher: Dispatcher
    private let store: any Store
    private let logger: Logger
    /// A notifier with the configuration that it was created from.
    private struct Made {
        let configuration: Configuration.Notifier
        let served: ServedNotifier
    }

    /// Deskgate's own notifier; it has no connections, so it need not be closed.
    private let lookup: ServedNotifier?
    /// The notifiers of the configuration in force, and all notifiers that are not closed yet.
    private let made: Monitor<(current: [Made], opened: [ServedNotifier])>

    init(
        _ configuration: Configuration, _ graph: ServiceGraph, logger: Logger, clocks: Clocks
    ) throws(StartError) {
        let factory = NotifierFactory(
            logger: logger, clocks: clocks, invalidation: graph.invalidation, mintKey: graph.mintKey(clocks: clocks))
        let lookup = graph.helpDesks.lazy.compactMap(\.lookup).first.map { ServedNotifier($0) }
        var made: [Made] = []
        do {
            made = try Self.make(configuration.notifiers, factory)
            let days: UInt64 = 24 * 3600 * 1000
            let retention = Retention(
                deliveredMilliseconds: UInt64(configuration.deliveries.keepDeliveredDays) * days,
                deadMilliseconds: UInt64(configuration.deliveries.keepDeadDays) * days,
                idleDeviceMilliseconds: UInt64(configuration.pushTokens.forgetAfterDays) * days,
                eventLifetimeMilliseconds: UInt64(configuration.deliveries.expireAfterSeconds) * 1000)
            dispatcher = try Dispatcher(
                store: graph.store, audience: { [state = graph.helpDeskState] in state.current.subscriptions.registry },
                notifiers: Self.byName(made, lookup: lookup, configuration: configuration), retention: retention,
                metrics: graph.deliveryMetrics, logger: logger,
                clocks: clocks,
                inbox: graph.dispatcherInbox, tracer: graph.traces.tracer, onLostCalls: { [bots = graph.bots] in bots.count(lost: $0) })
        } catch {
            for made in made { made.served.close() }
            throw .notifiers("\(error)")
        }
        self.lookup = lookup
        self.factory = factory
        self.logger = logger
        store = graph.store
        self.made = Monitor((made, made.map(\.served)))
    }

    /// Replaces the notifiers by those of another configuration, completely or not at all, and ends all pauses.
    ///
    /// Unchanged notifiers keep their connections and provider tokens, because Apple allows a new token once in 20 minutes at most.
    func reload(_ configuration: Configuration) throws(NotifierFactory.Failure) {
        let kept = made.withLock { $0.current }.filter { configuration.notifiers.contains($0.configuration) }
        let changed = configuration.notifiers.filter { notifier in !kept.contains { $0.configuration == notifier } }
        let new = try Self.make(changed, factory)
        dispatcher.replace(with: Self.byName(kept + new, lookup: lookup, configuration: configuration))
        made.update { made in
            made.current = kept + new
            made.opened = made.opened.filter { !$0.hasClosed } + new.map(\.served)
        }
        StrandedDeliveries.warn(store, configured: configuration.runningNotifiers, logger)
    }

    /// Tests running notifiers, with their own connections and provider tokens.
    var trials: NotifierTrials {
        NotifierTrials { [self] notifiers, configuration in
            let pairs = notifiers.compactMap { notifier in running(notifier).map { (notifier, $0) } }
            return ((try? trial(configuration).prove(pairs)) ?? []).map { $0.verdict.json(of: $0.name) }
        } send: { [self] push, notifier, configuration in
            running(notifier).flatMap { try? trial(configuration).send(push, through: $0, notifier) }?.json(of: notifier.name)
        }
    }

    private func trial(_ configuration: Configuration) -> NotifierTrial {
        NotifierTrial(configuration, logger: logger, clocks: factory.clocks)
    }

    private func running(_ configuration: Configuration.Notifier) -> (any Notifier)? {
        made.withLock { $0.current }.first { $0.configuration == configuration }?.served.notifier
    }

    /// Starts no further attempts; deliveries accepted from now on wait for the next start.
    func beginStopping() {
        dispatcher.beginStopping()
    }

    /// Starts no further attempts, waits for running ones, and closes the HTTP clients.
    func stop(drainMilliseconds: UInt64) {
        dispatcher.stop(drainMilliseconds: drainMilliseconds)
        for notifier in made.withLock({ $0.opened }) { notifier.close() }
    }

    private static func make(_ notifiers: [Configuration.Notifier], _ factory: NotifierFactory) throws(NotifierFactory.Failure) -> [Made] {
        zip(notifiers, try factory.make(all: notifiers)).map { Made(configuration: $0, served: $1) }
    }

    private static func byName(
        _ notifiers: [Made], lookup: ServedNotifier?, configuration: Configuration
    ) -> [String: ServedNotifier] {
        var named = Dictionary(notifiers.map { ($0.configuration.name, $0.served) }) { first, _ in first }
        if configuration.holdsMessages { named[HeldMessage.notifier] = lookup }
        return named
    }
}
