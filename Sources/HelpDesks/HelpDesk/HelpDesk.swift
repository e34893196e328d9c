package import Configuration
package import Core
package import Crypto
package import HTTPClient
package import HTTPServer
package import Observability
package import Threading
package import Time

/// A help desk, with all that the rest of the service knows of it: the routes that it and its apps call, and where registrations are passed on.
///
/// How its webhooks prove their origin and become events is its own affair.
package struct HelpDesk: Sendable {
    /// Makes a notifier that passes registrations on.
    ///
    /// The notifiers that it has made under one name share what they have counted towards the help desk's limits, so that a reload resets nothing.
    package typealias RelayMaker = @Sendable (_ name: String, Configuration.Relay, Client) throws -> any Notifier

    /// What the configuration calls it.
    package let kind: HelpDeskKind
    /// Serves its apps.
    package let serve: @Sendable (Configuration, HelpDeskServices) throws(CryptoError) -> ServedHelpDesk
    /// Makes its relays.
    package let relays: @Sendable (RelayServices) -> RelayMaker

    /// Describes a help desk.
    package init(
        kind: HelpDeskKind, serve: @escaping @Sendable (Configuration, HelpDeskServices) throws(CryptoError) -> ServedHelpDesk,
        relays: @escaping @Sendable (RelayServices) -> RelayMaker
    ) {
        self.kind = kind
        self.serve = serve
        self.relays = relays
    }
}

/// A help desk whose apps are served.
package struct ServedHelpDesk: Sendable {
    /// Its routes on the public listener.
    package let routes: [Route]
    /// Builds what another configuration needs, and returns what puts that in force; until then nothing has changed.
    package let prepare: @Sendable (Configuration, HelpDeskState) throws(CryptoError) -> @Sendable () -> Void

    /// Describes what is served.
    package init(
        routes: [Route],
        prepare: @escaping @Sendable (Configuration, HelpDeskState) throws(CryptoError) -> @Sendable () -> Void
    ) {
        self.routes = routes
        self.prepare = prepare
    }
}

/// What every help desk's routes use.
package struct HelpDeskServices: Sendable {
    /// What all help desks need of the configuration in force.
    package let state: Live<HelpDeskState>
    /// Where events and devices are kept.
    package let store: any Store
    /// What is counted.
    package let metrics: HelpDeskMetrics
    /// The time.
    package let clocks: Clocks
    /// For the ids of events.
    package let random: RandomPool
    /// Takes what is not a stranger's to cause.
    package let logger: Logger
    /// Takes what strangers can cause.
    package let denials: DenialLog
    /// Called on the store's thread, before the answer, when something was stored that notifiers are told of; must not block.
    package let onChange: @Sendable () -> Void

    /// Gathers the services.
    package init(
        state: Live<HelpDeskState>, store: any Store, metrics: HelpDeskMetrics, clocks: Clocks, random: RandomPool, logger: Logger,
        denials: DenialLog, onChange: @escaping @Sendable () -> Void
    ) {
        self.state = state
        self.store = store
        self.metrics = metrics
        self.clocks = clocks
        self.random = random
        self.logger = logger
        self.denials = denials
        self.onChange = onChange
    }
}

/// What every help desk's relays use.
package struct RelayServices: Sendable {
    /// Makes a security key with which the help desk may come back to us within the next minutes; nil when none can be made. It does not block.
    package let mintKey: @Sendable (_ appID: String, _ userID: String) -> String?
    /// The time.
    package let clocks: Clocks

    /// Gathers the services.
    package init(mintKey: @escaping @Sendable (_ appID: String, _ userID: String) -> String?, clocks: Clocks) {
        self.mintKey = mintKey
        self.clocks = clocks
    }
}
