internal import Core
internal import Crypto
internal import HTTPClient
internal import HTTPServer
internal import Notifiers
internal import Observability
internal import Storage
internal import Threading

/// What brings events to their notifiers: the notifiers with their clients, and the dispatcher.
final class DeliveryServices: Sendable {
    private let clients: [Client]
    private let dispatcher: Dispatcher
    private let handlers: AdminHandlers

    /// What operators may ask of the store.
    var routes: [Route] { DeliveryRoutes(handlers: handlers).routes + DeviceRoutes(handlers: handlers).routes }

    /// Makes the notifiers and starts the dispatcher.
    init(
        _ configuration: Configuration, _ graph: ServiceGraph, logger: Logger, clocks: Clocks
    ) throws(RunningService.StartError) {
        var notifiers: [String: any Notifier] = [:]
        var clients: [Client] = []
        do {
            for notifier in configuration.notifiers {
                switch notifier.kind {
                case .log: notifiers[notifier.name] = LogNotifier(logger)
                case .http(let destination):
                    let client = try Self.client(for: destination)
                    clients.append(client)
                    notifiers[notifier.name] = try Self.notifier(destination, client, clocks)
                }
            }
            let days: UInt64 = 24 * 3600 * 1000
            let retention = Retention(
                deliveredMilliseconds: UInt64(configuration.deliveries.keepDeliveredDays) * days,
                deadMilliseconds: UInt64(configuration.deliveries.keepDeadDays) * days,
                idleDeviceMilliseconds: UInt64(configuration.pushTokens.forgetAfterDays) * days)
            let inbox = graph.dispatcherInbox
            handlers = try AdminHandlers(state: graph.state, store: graph.store, clocks: clocks) {
                inbox.announceNews()
            }
            dispatcher = try Dispatcher(
                store: graph.store, notifiers: notifiers, retention: retention,
                metrics: DeliveryMetrics(
                    registry: graph.metrics.registry, store: graph.store, notifiers: notifiers.keys.sorted(), clocks: clocks,
                    inbox: inbox),
                logger: logger, clocks: clocks, inbox: inbox)
        } catch {
            for client in clients { client.close() }
            throw .notifiers("\(error)")
        }
        self.clients = clients
    }

    /// Lets notifiers try again that had been switched off.
    func resume() {
        dispatcher.resume()
    }

    /// Starts nothing more, waits for what runs, and closes the clients.
    func stop(drainMilliseconds: UInt64) {
        dispatcher.stop(drainMilliseconds: drainMilliseconds)
        for client in clients { client.close() }
    }

    /// Ends the thread behind the routes; call it once, after the listener has stopped.
    func stopRoutes() {
        handlers.stop()
    }

    private static func client(for destination: Configuration.HTTPDestination) throws(ThreadError) -> Client {
        try Client(
            settings: ClientSettings(
                connectionsPerHost: destination.concurrency, connectionLimit: destination.concurrency,
                requestLimit: 2 * destination.concurrency + 16, proxy: destination.proxy,
                certificateAuthorities: destination.certificateAuthorities, userAgent: "Deskgate/\(Version.current)"))
    }

    private static func notifier(
        _ destination: Configuration.HTTPDestination, _ client: Client, _ clocks: Clocks
    ) throws(StandardWebhookSecret.Flaw) -> HTTPNotifier {
        var secrets: [StandardWebhookSecret] = []
        for text in destination.secrets {
            secrets.append(try text.withSpan { span throws(StandardWebhookSecret.Flaw) in try StandardWebhookSecret(span) })
        }
        return HTTPNotifier(
            HTTPNotifier.Destination(
                url: destination.url, secrets: secrets, timeoutMilliseconds: destination.timeoutSeconds * 1000),
            concurrency: destination.concurrency, keepsTicketOrder: destination.keepsTicketOrder, client: client,
            nowMilliseconds: clocks.unixMilliseconds)
    }
}
