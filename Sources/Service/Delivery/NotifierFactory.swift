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

/// Makes notifiers of what the configuration says.
struct NotifierFactory: Sendable {
    /// Why one cannot be made.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private static let userAgent = "Deskgate/\(Version.current)"

    let logger: Logger
    let clocks: Clocks
    private let relays: [HelpDeskKind: HelpDesk.RelayMaker]

    /// - Parameter mintKey: makes a security key that a help desk may show us within the next minutes; nil when none can be made.
    init(logger: Logger, clocks: Clocks, mintKey: @escaping @Sendable (_ appID: String, _ userID: String) -> String?) {
        self.logger = logger
        self.clocks = clocks
        let services = RelayServices(mintKey: mintKey, clocks: clocks)
        relays = Dictionary(uniqueKeysWithValues: HelpDesk.all.map { ($0.kind, $0.relays(services)) })
    }

    /// Makes a notifier with a client of its own; the caller closes it.
    func make(_ configuration: Configuration.Notifier) throws(Failure) -> ServedNotifier {
        switch configuration.kind {
        case .log: return ServedNotifier(LogNotifier(logger))
        case .http(let destination):
            return try serve(configuration, destination.transport.clientSettings(userAgent: Self.userAgent)) { client in
                try HTTPNotifier(destination, client: client, now: clocks.unixMilliseconds)
            }
        case .relay(let relay):
            guard let make = relays[relay.helpDesk] else { preconditionFailure("HelpDesk.all has every kind") }
            return try serve(configuration, relay.transport.clientSettings(userAgent: Self.userAgent)) { client in
                try make(configuration.name, relay, client)
            }
        case .push(let push):
            return try serve(
                configuration, push.clientSettings(userAgent: Self.userAgent), credentialExpiresAt: push.provider.certificateExpiresAt
            ) { client in
                try PushNotifier(
                    push, client: client, monotonicMilliseconds: clocks.monotonicMilliseconds, unixMilliseconds: clocks.unixMilliseconds)
            }
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
        _ configuration: Configuration.Notifier, _ settings: ClientSettings, credentialExpiresAt: UnixSeconds? = nil,
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
}
