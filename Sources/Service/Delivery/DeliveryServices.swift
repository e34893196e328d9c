internal import Configuration
internal import Core
internal import Dispatch
internal import HTTPServer
internal import HelpDesk
internal import Observability
internal import Operators
internal import Storage
internal import Threading
internal import Time

/// What brings events to their notifiers: the notifiers with their clients, and the dispatcher.
final class DeliveryServices: Sendable {
    private let factory: NotifierFactory
    private let dispatcher: Dispatcher
    private let store: any Store
    private let logger: Logger
    /// A notifier with what it was made of.
    private struct Made {
        let configuration: Configuration.Notifier
        let served: ServedNotifier
    }

    /// The notifiers of the configuration in force, and all that may still have to be closed.
    private let made: Monitor<(current: [Made], opened: [ServedNotifier])>

    /// Makes the notifiers and starts the dispatcher.
    init(
        _ configuration: Configuration, _ graph: ServiceGraph, logger: Logger, clocks: Clocks
    ) throws(StartError) {
        let factory = NotifierFactory(logger: logger, clocks: clocks, mintKey: graph.mintKey(clocks: clocks))
        var made: [Made] = []
        do {
            made = try Self.make(configuration.notifiers, factory)
            let days: UInt64 = 24 * 3600 * 1000
            let retention = Retention(
                deliveredMilliseconds: UInt64(configuration.deliveries.keepDeliveredDays) * days,
                deadMilliseconds: UInt64(configuration.deliveries.keepDeadDays) * days,
                idleDeviceMilliseconds: UInt64(configuration.pushTokens.forgetAfterDays) * days,
                eventLifeMilliseconds: UInt64(configuration.deliveries.expireAfterSeconds) * 1000)
            dispatcher = try Dispatcher(
                store: graph.store, audience: { [state = graph.helpDeskState] in state.current.subscriptions.registry },
                notifiers: Self.byName(made), retention: retention, metrics: graph.deliveryMetrics, logger: logger, clocks: clocks,
                inbox: graph.dispatcherInbox)
        } catch {
            for made in made { made.served.close() }
            throw .notifiers("\(error)")
        }
        self.factory = factory
        self.logger = logger
        store = graph.store
        self.made = Monitor((made, made.map(\.served)))
    }

    /// Goes on with the notifiers of another configuration, all of them or none; those that were switched off may try again.
    ///
    /// What has not changed keeps its connections and provider tokens, of which Apple wants a new one once in 20 minutes at most.
    func reload(_ configuration: Configuration) throws(NotifierFactory.Failure) {
        let kept = made.withLock { $0.current }.filter { configuration.notifiers.contains($0.configuration) }
        let changed = configuration.notifiers.filter { notifier in !kept.contains { $0.configuration == notifier } }
        let new = try Self.make(changed, factory)
        dispatcher.replace(with: Self.byName(kept + new))
        made.update { made in
            made.current = kept + new
            made.opened = made.opened.filter { !$0.hasClosed } + new.map(\.served)
        }
        StrandedDeliveries.warn(store, configured: configuration.notifiers.map(\.name), logger)
    }

    /// Starts nothing more; what is accepted from now on waits for the next start.
    func beginStopping() {
        dispatcher.beginStopping()
    }

    /// Starts nothing more, waits for what runs, and closes the clients.
    func stop(drainMilliseconds: UInt64) {
        dispatcher.stop(drainMilliseconds: drainMilliseconds)
        for notifier in made.withLock({ $0.opened }) { notifier.close() }
    }

    private static func make(_ notifiers: [Configuration.Notifier], _ factory: NotifierFactory) throws(NotifierFactory.Failure) -> [Made] {
        zip(notifiers, try factory.make(all: notifiers)).map { Made(configuration: $0, served: $1) }
    }

    private static func byName(_ notifiers: [Made]) -> [String: ServedNotifier] {
        Dictionary(notifiers.map { ($0.configuration.name, $0.served) }) { first, _ in first }
    }
}
