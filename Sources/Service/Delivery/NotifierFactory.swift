internal import Configuration
internal import Core
internal import Crypto
internal import Dispatch
internal import HTTPClient
internal import Notifiers
internal import Observability
internal import Threading
internal import Time

/// Makes notifiers of what the configuration says.
struct NotifierFactory: Sendable {
    /// Why one cannot be made.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    let logger: Logger
    let clocks: Clocks
    /// Makes a security key that the help desk may show us within the next minutes; nil when none can be made.
    let mintKey: @Sendable (_ appID: String, _ userID: String) -> String?
    /// What each relay has counted, by name, which outlives its notifier when the configuration is reloaded.
    private let paces = Monitor<[String: Monitor<PyrusPace>]>([:])

    init(logger: Logger, clocks: Clocks, mintKey: @escaping @Sendable (_ appID: String, _ userID: String) -> String?) {
        self.logger = logger
        self.clocks = clocks
        self.mintKey = mintKey
    }

    /// Makes a notifier with a client of its own; the caller closes it.
    func make(_ configuration: Configuration.Notifier) throws(Failure) -> ServedNotifier {
        switch configuration.kind {
        case .log: return ServedNotifier(LogNotifier(logger))
        case .http(let destination):
            return try serve(configuration, clientSettings(destination.transport)) { client in try notifier(destination, client) }
        case .pyrus(let relay):
            let pace = pace(of: configuration.name)
            return try serve(configuration, clientSettings(relay.transport)) { client in try notifier(relay, pace, client) }
        case .push(let push):
            return try serve(
                configuration, pushClientSettings(push), credentialExpiresAt: push.provider.certificateExpiresAt
            ) { client in try notifier(push, client) }
        }
    }

    private func pace(of name: String) -> Monitor<PyrusPace> {
        paces.withLock { paces in
            let pace = paces[name] ?? Monitor(PyrusPace())
            paces[name] = pace
            return pace
        }
    }

    /// Makes notifiers, all or none: of several reasons the first is thrown.
    func make(all configurations: [Configuration.Notifier]) throws(Failure) -> [ServedNotifier] {
        var made: [ServedNotifier] = []
        do throws(Failure) {
            for configuration in configurations { made.append(try make(configuration)) }
        } catch {
            for notifier in made { notifier.close() }
            throw error
        }
        return made
    }

    /// Opens a client and makes a notifier that uses it.
    private func serve(
        _ configuration: Configuration.Notifier, _ settings: ClientSettings, credentialExpiresAt: UInt64? = nil,
        _ make: (Client) throws -> any Notifier
    ) throws(Failure) -> ServedNotifier {
        let client: Client
        do throws(ThreadError) {
            client = try Client(settings: settings)
        } catch {
            throw Failure(description: "\(configuration.name): \(error)")
        }
        do {
            return ServedNotifier(try make(client), client: client, credentialExpiresAt: credentialExpiresAt)
        } catch {
            client.close()
            throw Failure(description: "\(configuration.name): \(error)")
        }
    }

    private func clientSettings(_ transport: Configuration.Transport) -> ClientSettings {
        ClientSettings(
            connectionsPerHost: transport.concurrency, connectionLimit: transport.concurrency,
            requestLimit: 2 * transport.concurrency + 16, proxy: transport.proxy,
            certificateAuthorities: transport.certificateAuthorities?.path, userAgent: "Deskgate/\(Version.current)")
    }

    private func notifier(
        _ destination: Configuration.HTTPDestination, _ client: Client
    ) throws(StandardWebhookSecret.Flaw) -> HTTPNotifier {
        var secrets: [StandardWebhookSecret] = []
        for text in destination.secrets {
            secrets.append(try text.withSpan { span throws(StandardWebhookSecret.Flaw) in try StandardWebhookSecret(span) })
        }
        return HTTPNotifier(
            HTTPNotifier.Destination(
                url: destination.url, secrets: secrets, timeoutMilliseconds: destination.transport.timeoutSeconds * 1000),
            concurrency: destination.transport.concurrency, keepsTicketOrder: destination.keepsTicketOrder, client: client,
            nowMilliseconds: clocks.unixMilliseconds)
    }
}
