package import Configuration
package import Core
internal import HTTPClient
package import HTTPServer
package import HelpDesk
package import Observability
internal import Threading

/// The bots of the configuration, with their routes and their calls to companies' backends. Create it once per service; close it after the
/// public listener.
package final class ServedBots: Sendable {
    package let routes: [Route]
    private let state: SnapshotReference<BotsState>
    private let metrics: BotMetrics
    /// Calls only companies' backends, so that a hanging backend does not delay other calls.
    private let client = LazyClient(settings: BackendCaller.clientSettings)
    private let handOffs: HandOffCaller

    package static func connectionLimit(of configuration: Configuration) -> Int {
        configuration.bots.isEmpty ? 0 : BackendCaller.clientSettings.connectionLimit
    }

    /// - Parameter tickets: returns nil when the app's help desk has no tickets.
    package init(
        _ configuration: Configuration, services: HelpDeskServices, registry: MetricsRegistry,
        tickets: @escaping @Sendable (_ appID: String) -> (any TicketDesk)?
    ) {
        metrics = BotMetrics(registry)
        let state = SnapshotReference(BotsState(configuration, shared: services.state.current, metrics: metrics))
        self.state = state
        state.current.begin()
        handOffs = HandOffCaller(services.clocks, tickets: tickets)
        let caller = BotCaller(
            services, backend: BackendCaller(client: client, clocks: services.clocks, tracer: services.tracer), handOffs: handOffs)
        let gate = CallGate(services: services, caller: caller)
        routes =
            PersonRoutes(state: state, services: services, metrics: metrics, gate: gate, caller: caller).routes
            + CallRoutes(state, services: services, gate: gate, caller: caller).routes
            + [ReplyRoute(state: state, services: services, gate: gate, caller: caller).route]
        services.invalidation.listen { item in
            if case .revocations(let change) = item { state.current.forgetAnswers(after: change) }
        }
    }

    /// Builds the state for another configuration, and returns a function that activates it. Nothing changes until that function is called.
    /// - Parameter shared: the state of the same configuration.
    package func prepare(_ next: Configuration, _ shared: HelpDeskState) -> @Sendable () -> Void {
        let prepared = BotsState(next, shared: shared, metrics: metrics, former: state.current)
        return { [state] in
            prepared.begin()
            state.replace(with: prepared)
        }
    }

    /// Counts calls that became `unknown` because their process terminated. Safe on any thread.
    package func count(lost calls: [BotCall]) { metrics.count(lost: calls) }

    /// The number of requests that wait for the answer to a bot's change that another request has begun.
    func waiting(for bot: String) -> Int { state.current.bot(bot)?.coalescer.withLock { $0.waiting } ?? 0 }

    /// Cancels the calls in progress, and waits for their end. Changes among them end as `unknown`. Call it after the help desks' client is
    /// closed.
    package func close() {
        client.close()
        handOffs.stop()
    }
}
