package import Configuration
package import Core
package import Crypto
package import HTTPClient
package import HTTPServer
package import Observability
package import Threading
package import Time
package import Tracing

/// A help desk, as the rest of the service uses it: the routes for the help desk and its apps, and the relays that report registrations to
/// it.
///
/// Each help desk is a separate target, which describes itself in one value:
///
///     extension HelpDesk {
///         package static let pyrus = HelpDesk(
///             kind: .pyrus,
///             serve: { configuration, services throws(CryptoError) in try Pyrus(configuration, services).served },
///             makeRelay: { relay, services, client in try PyrusNotifier(relay, services, client: client) },
///             signatures: [])
///     }
///
/// The service serves all of them and adds their routes to the public listener. At a reload it calls `prepare` and the function that
/// `prepare` returns:
///
///     let served = try HelpDesk.pyrus.serve(configuration, services)
///     let router = Router(served.routes)
///     let replace = try served.prepare(nextConfiguration, nextState)  // changes nothing yet
///     replace()
///
/// The authentication of webhooks and their conversion to events are private to the help desk.
package struct HelpDesk: Sendable {
    package typealias RelayMaker = @Sendable (Configuration.Relay, RelayServices, Client) throws -> any Notifier

    package let kind: HelpDeskKind
    /// Called once, at the start.
    package let serve: @Sendable (Configuration, HelpDeskServices) throws(CryptoError) -> ServedHelpDesk
    package let makeRelay: RelayMaker
    package let signatures: [HelpDeskSignature]
    /// Creates probes of the credentials of one app. The client's owner keeps it open.
    package let probes: @Sendable (Configuration.App, Clocks, Client) -> [CredentialProbe]
    /// The maximum number of connections for serving its apps, including those of `HelpDeskServices.client`; relays have their own.
    package let connectionLimit: @Sendable (Configuration) -> Int

    package init(
        kind: HelpDeskKind, serve: @escaping @Sendable (Configuration, HelpDeskServices) throws(CryptoError) -> ServedHelpDesk,
        makeRelay: @escaping RelayMaker, signatures: [HelpDeskSignature],
        probes: @escaping @Sendable (Configuration.App, Clocks, Client) -> [CredentialProbe] = { _, _, _ in [] },
        connectionLimit: @escaping @Sendable (Configuration) -> Int = { _ in 0 }
    ) {
        self.connectionLimit = connectionLimit
        self.probes = probes
        self.kind = kind
        self.serve = serve
        self.makeRelay = makeRelay
        self.signatures = signatures
    }
}

/// Checks one credential of an app with its help desk, without changing anything.
package struct CredentialProbe: Sendable {
    package let appID: String
    package let name: String
    package let timeoutMilliseconds: UInt64
    /// The remedy for a bad credential, worded as the end of a sentence for operators.
    package let remedy: String
    /// Starts the check. The completion is called exactly once, on any thread, and must not block. The outcome is `delivered` for a good
    /// credential and `misconfigured` for a bad one.
    package let prove: @Sendable (_ completion: @escaping @Sendable (DeliveryOutcome) -> Void) -> Void

    package init(
        appID: String, name: String, timeoutMilliseconds: UInt64, remedy: String,
        prove: @escaping @Sendable (_ completion: @escaping @Sendable (DeliveryOutcome) -> Void) -> Void
    ) {
        self.appID = appID
        self.name = name
        self.timeoutMilliseconds = timeoutMilliseconds
        self.remedy = remedy
        self.prove = prove
    }
}

package struct HelpDeskSignature: Sendable {
    /// The scheme, for explanations.
    package let scheme: SignatureScheme
    /// Whether a header's value is the signature of a body with a secret; the same decision as the route's. Throws when OpenSSL fails.
    package let isGenuine: @Sendable (_ header: String, _ body: [UInt8], _ secret: SecretBytes) throws(CryptoError) -> Bool

    package let secrets: @Sendable (Configuration.App) -> [Secrets]

    package struct Secrets: Sendable {
        /// The location in the app's configuration, such as `webhook.signature_secret`.
        package let key: String
        package let values: [SecretBytes]

        package init(key: String, values: [SecretBytes]) {
            (self.key, self.values) = (key, values)
        }
    }

    package init(
        _ scheme: SignatureScheme,
        isGenuine: @escaping @Sendable (_ header: String, _ body: [UInt8], _ secret: SecretBytes) throws(CryptoError) -> Bool,
        secrets: @escaping @Sendable (Configuration.App) -> [Secrets]
    ) {
        self.scheme = scheme
        self.isGenuine = isGenuine
        self.secrets = secrets
    }

    /// Whether a header's value has the length of such a signature, so that it probably is one.
    package func fits(_ header: String) -> Bool {
        let text = header.lowercased()
        let digits = text.hasPrefix(scheme.prefix) ? text.dropFirst(scheme.prefix.count) : text[...]
        return digits.utf8.count == 2 * scheme.algorithm.codeCount
    }
}

package struct ServedHelpDesk: Sendable {
    package let routes: [Route]
    /// Builds the state for another configuration, and returns a function that activates it. Nothing changes until that function is called.
    package let prepare: @Sendable (Configuration, HelpDeskState) throws(CryptoError) -> @Sendable () -> Void
    /// Returns the tickets of an app; nil for an app of another help desk, or when the help desk offers no access to tickets.
    package let tickets: @Sendable (_ appID: String) -> (any TicketDesk)?
    /// Returns the status of a user's session tokens; nil for an app that issues none. Does not block.
    package let sessions: @Sendable (_ appID: String, _ userID: String) -> SessionStatus?
    /// The notifier of held messages (`HeldMessage`). Its attempts query the help desk for the owner of the conversation. Nil when no
    /// messages are held.
    package let lookup: (any Notifier)?
    /// Stops background work of the routes, and waits for it. Called once, after the listener has stopped.
    package let close: @Sendable () -> Void

    package init(
        routes: [Route], tickets: @escaping @Sendable (_ appID: String) -> (any TicketDesk)? = { _ in nil },
        sessions: @escaping @Sendable (_ appID: String, _ userID: String) -> SessionStatus? = { _, _ in nil },
        lookup: (any Notifier)? = nil, close: @escaping @Sendable () -> Void = {},
        prepare: @escaping @Sendable (Configuration, HelpDeskState) throws(CryptoError) -> @Sendable () -> Void
    ) {
        self.routes = routes
        self.tickets = tickets
        self.sessions = sessions
        self.lookup = lookup
        self.close = close
        self.prepare = prepare
    }
}

/// Notifies caches of users' data when an entry may have become invalid. Safe on any thread.
package final class CacheInvalidation: Sendable {
    package enum Item: Sendable {
        /// Keys were revoked, or a revocation was removed; nil when anything may have changed.
        case revocations(RevocationChange?)
        /// The help desk has ended all sessions of a user.
        case sessionsEnded(AppUser)
    }

    private let listeners = Monitor<[@Sendable (Item) -> Void]>([])

    package init() {}

    /// Adds a listener. It is called right after a change of the revocations takes effect, and must not block.
    package func listen(_ listener: @escaping @Sendable (Item) -> Void) {
        listeners.withLock { $0.append(listener) }
    }

    package func tell(_ item: Item) {
        for listener in listeners.withLock({ $0 }) { listener(item) }
    }
}

package final class HelpDeskServices: Sendable {
    /// The settings of a client that calls help desks or backends for all apps. One app may use half of the requests, and half of the
    /// connections to one host, so that an app whose calls hang leaves the rest to others. Connections are not reused, because an answer
    /// contains a user's data, and because a request that is repeated on a closed connection might change something twice.
    package static let clientSettings = ClientSettings(
        connectionsPerHost: 64, connectionsPerOwner: 32, connectionLimit: 256, requestLimit: 1024, requestsPerOwner: 512,
        keepsConnections: false)

    package let state: SnapshotReference<HelpDeskState>
    package let revocations: SnapshotReference<Revocations>
    package let store: any Store
    package let metrics: HelpDeskMetrics
    package let clocks: Clocks
    package let random: RandomPool
    /// For log lines that unauthenticated callers cannot cause.
    package let logger: Logger
    /// For log lines that unauthenticated callers can cause; it samples them.
    package let denials: DenialLog
    package let tracer: Tracer
    /// Calls the help desks; each request belongs to an app. The owner closes it.
    package let client: LazyClient
    package let invalidation: CacheInvalidation
    /// Called on the store's thread, before the response, when a delivery may have become due; must not block.
    package let onChange: @Sendable () -> Void

    package init(
        state: SnapshotReference<HelpDeskState>, revocations: SnapshotReference<Revocations>, store: any Store, metrics: HelpDeskMetrics,
        clocks: Clocks,
        random: RandomPool, logger: Logger, denials: DenialLog, tracer: Tracer, client: LazyClient, invalidation: CacheInvalidation,
        onChange: @escaping @Sendable () -> Void
    ) {
        self.state = state
        self.revocations = revocations
        self.store = store
        self.metrics = metrics
        self.clocks = clocks
        self.random = random
        self.logger = logger
        self.denials = denials
        self.tracer = tracer
        self.client = client
        self.invalidation = invalidation
        self.onChange = onChange
    }

    /// The current second by the clock that all replicas share, for values that one replica issues and another one verifies. Does not
    /// block.
    package var sharedNow: UnixSeconds { store.sharedTime(of: clocks.unixMilliseconds()).seconds }
}

package struct RelayServices: Sendable {
    /// Mints a short-lived security key for a relayed registration, which the help desk sends back to Deskgate for authorization; nil when
    /// no key can be minted. Does not block.
    package let mintKey: @Sendable (_ appID: String, _ userID: String) -> String?
    package let clocks: Clocks
    package let invalidation: CacheInvalidation

    package init(
        mintKey: @escaping @Sendable (_ appID: String, _ userID: String) -> String?, clocks: Clocks,
        invalidation: CacheInvalidation = CacheInvalidation()
    ) {
        self.mintKey = mintKey
        self.clocks = clocks
        self.invalidation = invalidation
    }
}
