package import Core
package import HTTPServer
package import JSON
package import Observability
package import Threading
package import Time

/// What the admin listener works with.
package struct AdminServices: Sendable {
    let state: Live<OperatorState>
    let store: any Store
    let registry: MetricsRegistry
    let clocks: Clocks
    let logger: Logger
    let denials: DenialLog
    let status: @Sendable () -> JSONValue
    let holds: @Sendable () -> [String: String]
    let onGivenUp: @Sendable (_ count: Int, _ notifier: String) -> Void
    let onWork: @Sendable () -> Void

    /// Gathers the services.
    /// - Parameters:
    ///   - status: whether the service can do its work, as `GET /v1/status` tells it; must not block.
    ///   - holds: why nothing starts for a notifier just now, by its name.
    ///   - onGivenUp: told on the store's thread how many deliveries of which notifier were given up.
    ///   - onWork: called on that thread when deliveries may be due that were not, before the answer.
    package init(
        state: Live<OperatorState>, store: any Store, registry: MetricsRegistry, clocks: Clocks, logger: Logger, denials: DenialLog,
        status: @escaping @Sendable () -> JSONValue, holds: @escaping @Sendable () -> [String: String],
        onGivenUp: @escaping @Sendable (_ count: Int, _ notifier: String) -> Void, onWork: @escaping @Sendable () -> Void
    ) {
        self.state = state
        self.store = store
        self.registry = registry
        self.clocks = clocks
        self.logger = logger
        self.denials = denials
        self.status = status
        self.holds = holds
        self.onGivenUp = onGivenUp
        self.onWork = onWork
    }
}

/// Answers the requests of `AdminRoute.all`.
///
/// The store is asked on a thread of its own, while the connection is suspended.
package final class AdminListener: Sendable {
    private static let waitingLimit = 64
    private static let timeoutMilliseconds: UInt64 = 60_000

    private static let overloaded = Response.error(
        503, "overloaded", "Too many questions wait for the store; try again.", headers: [("Retry-After", "1")])

    let services: AdminServices
    let gate: AdminGate
    let proof = ListenerProof()
    private let worker: AdminWorker

    /// Prepares the answers; `stop` must be called, after the listener has stopped and before the store is closed.
    package init(_ services: AdminServices) {
        self.services = services
        gate = AdminGate(state: services.state, logger: services.logger, denials: services.denials)
        worker = AdminWorker(limit: Self.waitingLimit)
    }

    /// Answers what waits, and ends the thread. Call it once.
    package func stop() {
        worker.stop()
    }

    /// Says where the listener listens, which its proof names; before, nothing is proven.
    package func listens(on address: ListenAddress) {
        proof.listens(on: address)
    }

    /// What the listener serves.
    /// - Parameter isLocal: whether only this machine reaches it, so that it answers to no other names.
    package func router(isLocal: Bool) -> Router {
        var paths: [StaticString] = []
        for route in AdminRoute.all where !paths.contains(where: { "\($0)" == "\(route.path)" }) { paths.append(route.path) }
        let routes = paths.map { path in
            let routes = AdminRoute.all.filter { "\($0.path)" == "\(path)" }
            let bodyLimit = routes.contains { $0.method == .post } ? AdminRoute.bodyLimit : 0
            return Route(path, bodyLimit: bodyLimit, routes.map { ($0.method, handler($0)) })
        }
        return Router(isLocal ? routes.map(HostRule.guarding) : routes)
    }

    /// The metrics of now.
    func metrics() -> Response {
        Response(status: 200, headers: [("Content-Type", MetricsRegistry.contentType)], body: services.registry.render())
    }

    private func handler(_ route: AdminRoute) -> Handler {
        { [self] request, responder in
            if let refusal = refusal(of: request, route.role) { return responder.respond(refusal) }
            switch route.handling {
            case .fromMemory(let answer): return responder.respond(answer(request, self))
            case .fromStore(let read):
                do throws(AdminProblem) {
                    guard let action = try read(request) else { return responder.respond(Response(AdminAnswer.unknown)) }
                    return perform(action, AdminCaller(request), responder)
                } catch {
                    return responder.respond(.error(400, "malformed", error.message))
                }
            }
        }
    }

    private func refusal(of request: borrowing Request, _ role: AdminRoute.Role) -> Response? {
        switch role {
        case .anyone: nil
        case .scrape: services.state.current.metricsNeedToken ? gate.refusal(of: request) : nil
        case .mint, .read, .operate: gate.refusal(of: request)
        }
    }

    private func perform(_ action: any AdminAction, _ caller: AdminCaller, _ responder: consuming Responder) -> Answered {
        responder.respondLater(timeoutMilliseconds: Self.timeoutMilliseconds) { pending in
            let box = PendingBox(pending)
            if !worker.submit({ [self] in box.respond(perform(action, caller)) }) { box.respond(Self.overloaded) }
        }
    }

    /// Carries an action out on the store's thread, audits it, and wakes whoever has work now.
    private func perform(_ action: any AdminAction, _ caller: AdminCaller) -> Response {
        let context = AdminContext(
            store: services.store, now: services.clocks.unixMilliseconds(), state: services.state.current, holds: services.holds(),
            onGivenUp: services.onGivenUp)
        do throws(StoreError) {
            let answer = try action.perform(in: context)
            if answer.change?.makesWork == true { services.onWork() }
            if let change = action.change {
                gate.audit(
                    change, outcome: answer.outcome, answer.change.map { [($0.name, .integer($0.count))] } ?? [], by: caller)
            }
            return Response(answer)
        } catch {
            if let change = action.change { gate.audit(change, outcome: error.kind.rawValue, [], by: caller) }
            return .error(503, error.kind.rawValue, error.description, headers: [("Retry-After", "1")])
        }
    }
}

extension Response {
    fileprivate convenience init(_ answer: AdminAnswer) {
        self.init(status: answer.status, json: answer.json, headers: [("Cache-Control", "no-store")])
    }
}
