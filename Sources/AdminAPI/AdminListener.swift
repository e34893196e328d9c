package import Core
package import HTTPServer
package import JSON
package import Observability
package import Threading
package import Time

package struct AdminServices: Sendable {
    let state: SnapshotReference<OperatorState>
    let store: any Store
    let registry: MetricsRegistry
    let clocks: Clocks
    let logger: Logger
    let denials: DenialLog
    let status: @Sendable (Language) -> JSONValue
    let openAPI: @Sendable () -> Response
    let holds: @Sendable () -> [String: String]
    let notifiers: @Sendable () -> [NotifierStatus]
    let onGivenUp: @Sendable (_ count: Int, _ notifier: String, _ reason: GivenUpReason) -> Void
    let onRevocation: @Sendable (RevocationChange?) -> Void
    let revocations: SnapshotReference<Revocations>
    let tickets: @Sendable (_ appID: String) -> (any TicketDesk)?
    let sessions: @Sendable (_ appID: String, _ userID: String) -> SessionStatus?
    let authorizations: @Sendable (_ appID: String, _ userID: String) -> KnownAuthorizations?
    let onForget: @Sendable (AppUser) -> Void
    let backend: @Sendable (_ appID: String) -> BackendStatus?
    let problems: @Sendable () -> ProblemSearch?
    let trials: @Sendable () -> NotifierTrials?
    let onWork: @Sendable () -> Void

    /// - Parameters:
    ///     - status: returns the answer of `GET /v1/status`, with texts in a language; must not block.
    ///     - openAPI: returns the answer of `GET /openapi.json`.
    ///     - holds: returns the reason why each notifier starts no attempts now, by name.
    ///     - notifiers: returns the status of the configured notifiers; must not block.
    ///     - onGivenUp: called on the store's thread with the number of pending deliveries that were ended, their notifier, and the reason.
    ///     - onRevocation: called on that thread, before the answer, with a change that the store has, or nil without a change; puts all
    ///       changes of the store in force.
    ///     - revocations: the ones in force.
    ///     - tickets: returns the tickets of an app; nil when its help desk offers none.
    ///     - sessions: returns the status of a person's session tokens; nil for an app that issues none. Must not block.
    ///     - authorizations: returns the answers to a person's latest requests; nil for an app that is not configured. May wait some
    ///       seconds.
    ///     - onForget: called on that thread, before the answer, when the store has erased a person. Must not block.
    ///     - backend: returns the status of an app's backend; nil for an app without one. Must not block.
    ///     - problems: returns the current problems; nil outside the service. Must not block.
    ///     - trials: tests the running push notifiers; nil before they run.
    ///     - onWork: called on that thread, before the answer, when deliveries may have become due.
    package init(
        state: SnapshotReference<OperatorState>, store: any Store, registry: MetricsRegistry, clocks: Clocks, logger: Logger,
        denials: DenialLog,
        status: @escaping @Sendable (Language) -> JSONValue, openAPI: @escaping @Sendable () -> Response,
        holds: @escaping @Sendable () -> [String: String],
        notifiers: @escaping @Sendable () -> [NotifierStatus],
        onGivenUp: @escaping @Sendable (_ count: Int, _ notifier: String, _ reason: GivenUpReason) -> Void,
        onRevocation: @escaping @Sendable (RevocationChange?) -> Void, revocations: SnapshotReference<Revocations>,
        tickets: @escaping @Sendable (_ appID: String) -> (any TicketDesk)? = { _ in nil },
        sessions: @escaping @Sendable (_ appID: String, _ userID: String) -> SessionStatus? = { _, _ in nil },
        authorizations: @escaping @Sendable (_ appID: String, _ userID: String) -> KnownAuthorizations? = { _, _ in nil },
        onForget: @escaping @Sendable (AppUser) -> Void = { _ in },
        backend: @escaping @Sendable (_ appID: String) -> BackendStatus? = { _ in nil },
        problems: @escaping @Sendable () -> ProblemSearch? = { nil },
        trials: @escaping @Sendable () -> NotifierTrials? = { nil },
        onWork: @escaping @Sendable () -> Void
    ) {
        self.state = state
        self.store = store
        self.registry = registry
        self.clocks = clocks
        self.logger = logger
        self.denials = denials
        self.status = status
        self.openAPI = openAPI
        self.holds = holds
        self.notifiers = notifiers
        self.onGivenUp = onGivenUp
        self.onRevocation = onRevocation
        self.revocations = revocations
        self.tickets = tickets
        self.sessions = sessions
        self.authorizations = authorizations
        self.onForget = onForget
        self.backend = backend
        self.problems = problems
        self.trials = trials
        self.onWork = onWork
    }
}

/// Handles the requests of `AdminRoute.all`.
///
/// Store calls run on separate threads, while the connection is suspended.
package final class AdminListener: Sendable {
    /// Limits of actions that wait for the store's threads: in total, and for one token.
    private static let shares = (all: ShareBound(1, waiting: 128), token: ShareBound(1, waiting: 63))
    /// Limits of running and of waiting requests to help desks: in total, and for one app.
    private static let remoteShares = (all: ShareBound(16, waiting: 128), app: ShareBound(4, waiting: 64))
    private static let timeoutMilliseconds: UInt64 = TimeLimit.milliseconds(60_000)

    private static let overloaded = Response.error(
        503, code: "overloaded", message: "Too many requests wait already; try again.", headers: [("Retry-After", "1")])

    let services: AdminServices
    let gate: AdminGate
    private let page: PageRoutes
    /// Changes run one at a time, and so do reads, so a long change does not delay reads. Tokens take turns.
    private let changer, reader: WorkQueue
    /// Calls of help desks and other replicas do not delay actions on the store, and those of one app do not delay another app's.
    private let caller: WorkQueue

    /// Prepares the listener. The caller must call `stop`, after the HTTP server has stopped and before the store is closed.
    package init(_ services: AdminServices) {
        self.services = services
        gate = AdminGate(
            state: services.state, logger: services.logger, denials: services.denials,
            sessions: AdminSessionStore(services.clocks.monotonicMilliseconds))
        page = PageRoutes(gate)
        changer = WorkQueue(Self.shares.all, Self.shares.token)
        reader = WorkQueue(Self.shares.all, Self.shares.token)
        caller = WorkQueue(Self.remoteShares.all, Self.remoteShares.app)
    }

    /// Finishes waiting requests, and ends the threads. Call it once.
    package func stop() {
        changer.stop()
        reader.stop()
        caller.stop()
    }

    /// The router of the admin listener.
    /// - Parameter isLocal: whether only this machine reaches the listener, so that foreign Host names are refused.
    package func router(isLocal: Bool) -> Router {
        var paths: [StaticString] = []
        for route in AdminRoute.all where !paths.contains(where: { "\($0)" == "\(route.path)" }) { paths.append(route.path) }
        let routes = paths.map { path in
            let routes = AdminRoute.all.filter { "\($0.path)" == "\(path)" }
            let bodyLimit = routes.contains { $0.method == .post } ? AdminRoute.bodyLimit : 0
            let descriptions = Dictionary(uniqueKeysWithValues: routes.map { ($0.method, $0.description) })
            return Route(path, bodyLimit: bodyLimit, described: descriptions, routes.map { ($0.method, handler($0)) })
        }
        let all = routes + page.routes
        return Router(isLocal ? all.map(HostRule.guarding) : all)
    }

    func metrics() -> Response {
        Response(status: 200, headers: [("Content-Type", MetricsRegistry.contentType)], body: services.registry.render())
    }

    private func handler(_ route: AdminRoute) -> Handler {
        { [self] request, responder in
            switch gate.admission(of: request, route.role) {
            case .refused(let refusal): responder.respond(refusal)
            case .admitted(let caller): answer(route, request: request, caller: caller, responder: responder)
            }
        }
    }

    private func answer(
        _ route: AdminRoute, request: borrowing Request, caller: AdminCaller, responder: consuming Responder
    ) -> Answered {
        switch route.handling {
        case .fromMemory(let answer): return responder.respond(answer(request, caller, self))
        case .fromStore(let read):
            do throws(AdminProblem) {
                guard let action = try read(request) else { return responder.respond(Response(AdminAnswer.unknown)) }
                return perform(action, caller: caller, responder: responder)
            } catch {
                return responder.respond(.error(400, code: "malformed", message: error.message))
            }
        }
    }

    private func perform(_ action: any AdminAction, caller: AdminCaller, responder: consuming Responder) -> Answered {
        responder.respondLater(timeoutMilliseconds: Self.timeoutMilliseconds) { pending in
            let box = PendingBox(pending)
            let (worker, owner) =
                if let appID = action.waitingAppID {
                    (self.caller, ShareOwner(appID))
                } else {
                    (action.change == nil ? reader : changer, ShareOwner(caller.token?.name ?? ""))
                }
            let isQueued = worker.submit(for: owner) { [self] in
                // A change is always performed. A query whose caller got 503 in the meantime, as when the service stops, is skipped.
                guard action.change != nil || box.isAwaited else { return }
                box.respond(perform(action, caller))
            }
            if !isQueued { box.respond(Self.overloaded) }
        }
    }

    /// Runs an action on a thread for the store, writes its audit line, and wakes the dispatcher if there is work.
    private func perform(_ action: any AdminAction, _ caller: AdminCaller) -> Response {
        let context = AdminContext(
            store: services.store, now: services.clocks.unixMilliseconds(), state: services.state.current, holds: services.holds(),
            author: caller.author, onGivenUp: services.onGivenUp, onRevocation: services.onRevocation,
            tickets: services.tickets, sessions: services.sessions, authorizations: services.authorizations, onForget: services.onForget,
            backend: services.backend, problems: services.problems, trials: services.trials(),
            revocations: { [live = services.revocations] in live.current })
        do throws(StoreError) {
            let answer = try action.perform(in: context)
            if answer.change?.makesWork == true { services.onWork() }
            if let change = action.change {
                let counted = answer.change.map { [(key: $0.name, value: LogValue.integer($0.count))] } ?? []
                gate.audit(
                    change, outcome: answer.outcome, answer.about.map { ($0.name, .string($0.text)) } + counted, by: caller)
            }
            return Response(answer)
        } catch {
            if let change = action.change { gate.audit(change, outcome: error.kind.rawValue, [], by: caller) }
            let message = error.kind == .tooLong ? "\(error.description): \(action.shortening)" : error.description
            return .error(503, code: error.kind.rawValue, message: message, headers: [("Retry-After", "1")])
        }
    }
}

extension Response {
    fileprivate convenience init(_ answer: AdminAnswer) {
        let retry = answer.retryAfterSeconds.map { [("Retry-After", "\($0)")] } ?? []
        self.init(status: answer.status, json: answer.json, headers: [("Cache-Control", "no-store")] + retry)
    }
}
