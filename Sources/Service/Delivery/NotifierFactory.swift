internal import AdminAPI
internal import Configuration
internal import Core
internal import Dispatch
internal import HTTPClient
internal import HelpDesk
internal import Notifiers
internal import Observability
internal import Pyrus
internal import Threading
internal import Time

struct NotifierFactory: Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private static let userAgent = "Deskgate/\(Version.current)"

    let logger: Logger
    let clocks: Clocks
    private let relayServices: RelayServices

    /// - Parameters:
    ///   - invalidation: receives the sessions ended by relays.
    ///   - mintKey: mints a security key that a help desk may send back within the next minutes; nil when no key mints.
    init(
        logger: Logger, clocks: Clocks, invalidation: CacheInvalidation = CacheInvalidation(),
        mintKey: @escaping @Sendable (_ appID: String, _ userID: String) -> String?
    ) {
        self.logger = logger
        self.clocks = clocks
        relayServices = RelayServices(mintKey: mintKey, clocks: clocks, invalidation: invalidation)
    }

    /// Returns the maximum number of connections of a notifier's client.
    static func connectionLimit(of configuration: Configuration.Notifier) -> Int { clientSettings(configuration)?.connectionLimit ?? 0 }

    /// The settings of a notifier's client; nil for one without requests.
    private static func clientSettings(_ configuration: Configuration.Notifier) -> ClientSettings? {
        switch configuration.kind {
        case .log: nil
        case .http(let destination): destination.transport.clientSettings(userAgent: userAgent)
        case .relay(let relay): relay.transport.clientSettings(userAgent: userAgent)
        case .push(let push): push.clientSettings(userAgent: userAgent)
        }
    }

    /// Creates a notifier with its own HTTP client; the caller must close it.
    func make(_ configuration: Configuration.Notifier) throws(Failure) -> ServedNotifier {
        switch configuration.kind {
        case .log: return ServedNotifier(LogNotifier(logger))
        case .http(let destination):
            return try serve(configuration) { client in
                try HTTPNotifier(destination, client: client, now: clocks.unixMilliseconds)
            }
        case .relay(let relay):
            guard let makeRelay = HelpDesk.all.first(where: { $0.kind == relay.helpDesk })?.makeRelay else {
                preconditionFailure("HelpDesk.all has every kind")
            }
            return try serve(configuration) { client in
                try makeRelay(relay, relayServices, client)
            }
        case .push(let push):
            return try serve(configuration, credentialExpiresAt: push.provider.certificateExpiresAt) { client in
                try PushNotifier(
                    push, client: client, monotonicMilliseconds: clocks.monotonicMilliseconds, unixMilliseconds: clocks.unixMilliseconds)
            }
        }
    }

    /// Creates all notifiers or none; throws the first failure.
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

    /// Opens an HTTP client and creates a notifier that uses it.
    private func serve(
        _ configuration: Configuration.Notifier, credentialExpiresAt: UnixSeconds? = nil, _ make: (Client) throws -> any Notifier
    ) throws(Failure) -> ServedNotifier {
        guard let settings = Self.clientSettings(configuration) else { preconditionFailure("a notifier without requests needs no client") }
        let client: Client
        do throws(ThreadError) {
            client = try Client(settings: settings)
        } catch {
            throw Failure(description: "\(configuration.name): \(error)")
        }
        do {
            return ServedNotifier(
                try make(client), client: client, credentialExpiresAt: credentialExpiresAt,
                remedyWhileFailing: { Configuration.Notifier.remedy(whileFailing: configuration.name, $0, for: configuration) })
        } catch {
            client.close()
            throw Failure(description: "\(configuration.name): \(error)")
        }
    }
}
