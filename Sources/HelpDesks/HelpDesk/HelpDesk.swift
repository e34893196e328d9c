package import Configuration
package import Core
package import Crypto
package import HTTPClient
package import HTTPServer
package import Observability
package import Threading
package import Time
package import Tracing

/// A help desk, as the rest of the service uses it: the routes that it and its apps call, and the relays that report registrations to it.
///
/// How its webhooks prove their origin and become events is private to it.
package struct HelpDesk: Sendable {
    /// Makes a notifier that reports registrations to the help desk.
    package typealias RelayMaker = @Sendable (Configuration.Relay, RelayServices, Client) throws -> any Notifier

    /// Its name in the configuration.
    package let kind: HelpDeskKind
    /// Serves its apps.
    package let serve: @Sendable (Configuration, HelpDeskServices) throws(CryptoError) -> ServedHelpDesk
    /// Makes its relays; nil for a help desk whose `HelpDeskKind.registry` is nil.
    package let makeRelay: RelayMaker?
    /// The ways in which its webhooks are signed.
    package let signatures: [HelpDeskSignature]

    /// Describes a help desk.
    package init(
        kind: HelpDeskKind, serve: @escaping @Sendable (Configuration, HelpDeskServices) throws(CryptoError) -> ServedHelpDesk,
        makeRelay: RelayMaker?, signatures: [HelpDeskSignature]
    ) {
        self.kind = kind
        self.serve = serve
        self.makeRelay = makeRelay
        self.signatures = signatures
    }
}

/// How a help desk's webhooks are signed.
package struct HelpDeskSignature: Sendable {
    /// The scheme, for explanations.
    package let scheme: SignatureScheme
    /// Whether a header's value is the signature of a body with a secret, as the route decides it. Throws when OpenSSL fails.
    package let isGenuine: @Sendable (_ header: String, _ body: [UInt8], _ secret: SecretBytes) throws(CryptoError) -> Bool

    /// Describes the signature.
    package init(
        _ scheme: SignatureScheme,
        isGenuine: @escaping @Sendable (_ header: String, _ body: [UInt8], _ secret: SecretBytes) throws(CryptoError) -> Bool
    ) {
        self.scheme = scheme
        self.isGenuine = isGenuine
    }
}

/// A help desk whose apps are served.
package struct ServedHelpDesk: Sendable {
    /// Its routes on the public listener.
    package let routes: [Route]
    /// Builds the state for another configuration, and returns a function that puts it in force. Nothing changes until that is called.
    package let prepare: @Sendable (Configuration, HelpDeskState) throws(CryptoError) -> @Sendable () -> Void
    /// The tickets of an app, for the company; nil for an app of another help desk, or where the help desk lets nobody ask.
    package let tickets: @Sendable (_ appID: String) -> (any TicketDesk)?
    /// Ends what it has started. Called once, when no request can come any more.
    package let stop: @Sendable () -> Void

    /// Describes the served apps.
    package init(
        routes: [Route], tickets: @escaping @Sendable (_ appID: String) -> (any TicketDesk)? = { _ in nil },
        stop: @escaping @Sendable () -> Void = {},
        prepare: @escaping @Sendable (Configuration, HelpDeskState) throws(CryptoError) -> @Sendable () -> Void
    ) {
        self.routes = routes
        self.tickets = tickets
        self.stop = stop
        self.prepare = prepare
    }
}

/// The services that every help desk's routes use.
package struct HelpDeskServices: Sendable {
    /// The parts of the configuration in force that all help desks use.
    package let state: Live<HelpDeskState>
    /// The revocations in force.
    package let revocations: Live<Revocations>
    /// The store of events and devices.
    package let store: any Store
    /// The metrics.
    package let metrics: HelpDeskMetrics
    /// The clocks.
    package let clocks: Clocks
    /// Random bytes for the ids of events.
    package let random: RandomPool
    /// For lines that strangers cannot cause.
    package let logger: Logger
    /// For lines that strangers can cause; it samples them.
    package let denials: DenialLog
    /// Makes the spans of requests.
    package let tracer: Tracer
    /// Calls the help desks; its owner closes it.
    package let client: LazyClient
    /// Called on the store's thread, before the answer, when a delivery may have become due; must not block.
    package let onChange: @Sendable () -> Void

    /// Gathers the services.
    package init(
        state: Live<HelpDeskState>, revocations: Live<Revocations>, store: any Store, metrics: HelpDeskMetrics, clocks: Clocks,
        random: RandomPool, logger: Logger, denials: DenialLog, tracer: Tracer, client: LazyClient, onChange: @escaping @Sendable () -> Void
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
        self.onChange = onChange
    }
}

/// The services that every help desk's relays use.
package struct RelayServices: Sendable {
    /// Mints a short-lived security key for a relayed registration, which the help desk sends back to us for authorization; nil when none
    /// can be minted. Does not block.
    package let mintKey: @Sendable (_ appID: String, _ userID: String) -> String?
    /// The clocks.
    package let clocks: Clocks

    /// Gathers the services.
    package init(mintKey: @escaping @Sendable (_ appID: String, _ userID: String) -> String?, clocks: Clocks) {
        self.mintKey = mintKey
        self.clocks = clocks
    }
}
