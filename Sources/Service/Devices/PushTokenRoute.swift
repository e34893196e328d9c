internal import Core
internal import HTTPServer
internal import JSON
internal import Observability

/// `POST /pyrus/push-token`: a device wants to be notified, or not any more.
///
/// The key is verified first and from memory, so that strangers never reach the store; then the connection is suspended until the registry has
/// decided and what it decided is durable.
final class PushTokenRoute: Sendable {
    static let path: StaticString = "/pyrus/push-token"
    static let bodyLimit = 16 * 1024
    private static let timeoutMilliseconds: UInt64 = 10_000

    private enum Decision {
        case answer(Response)
        case register(Registration)
    }

    private let state: LiveStateHolder
    private let store: any Store
    private let counters: PushTokenCounters
    private let clocks: Clocks
    private let logger: Logger
    private let onChange: @Sendable () -> Void
    private let refusals = AuthorizeRefusals()
    private let storeRefusals = StoreRefusals()
    private let registered = Response(status: 200, json: ["status": "registered"])
    private let unchanged = Response(status: 200, json: ["status": "unchanged"])
    private let removed = Response(status: 200, json: ["status": "removed"])

    /// - Parameter onChange: called on the store's thread when the registry has changed, before the answer; must not block.
    init(
        state: LiveStateHolder, store: any Store, counters: PushTokenCounters, clocks: Clocks, logger: Logger,
        onChange: @escaping @Sendable () -> Void
    ) {
        self.state = state
        self.store = store
        self.counters = counters
        self.clocks = clocks
        self.logger = logger
        self.onChange = onChange
    }

    var route: Route {
        Route(Self.path, bodyLimit: Self.bodyLimit, [(.post, { [self] in answer($0, $1) })])
    }

    private func answer(_ request: borrowing Request, _ responder: consuming Responder) -> Answered {
        switch decide(request) {
        case .answer(let response): return responder.respond(response)
        case .register(let registration):
            return responder.respondLater(timeoutMilliseconds: Self.timeoutMilliseconds) { pending in
                let box = PendingBox(pending)
                store.register(registration, isAwaited: { box.isAwaited }) { [self] result in
                    box.respond(response(to: result, registration))
                }
            }
        }
    }

    private func decide(_ request: borrowing Request) -> Decision {
        var app: String?
        do throws(PushTokenMistake) {
            let wish = try PushTokenRequest(request)
            let state = state.current
            let decision = state.authorizer.decide(
                appID: wish.appID.utf8.span, userID: wish.userID.utf8.span, securityKey: wish.securityKey.utf8.span,
                now: clocks.unixSeconds())
            app = decision.application.map { String(decoding: state.authorizer.applications[$0].id, as: UTF8.self) }
            let reason = decision.verdict.reason
            switch decision.verdict {
            case .authorized: return .register(try registration(wish, state.pushTokenLimits))
            case .malformed(let malformation): throw .unreadable(.malformed(malformation))
            case .denied: return answer(refusals.denied, .denied, reason, app, request)
            case .undecided: return answer(refusals.undecided, .unavailable, reason, app, request)
            }
        } catch {
            guard case .failed = error else {
                return answer(.error(400, "malformed", error.message), .malformed, error.reason, app, request)
            }
            return answer(refusals.undecided, .unavailable, error.reason, app, request)
        }
    }

    private func registration(_ wish: PushTokenRequest, _ rules: [LimitRule]) throws(PushTokenMistake) -> Registration {
        Registration(
            key: Device.Key(appID: wish.appID, userID: wish.userID, deviceID: try wish.deviceID()), type: try wish.type(),
            token: try wish.token(), now: clocks.unixMilliseconds(), rules: rules)
    }

    /// Notes what the store says, on its thread.
    private func response(to result: Result<Registration.Outcome, StoreError>, _ wish: Registration) -> Response {
        let app = wish.key.appID
        switch result {
        case .success(.registered):
            counters.count(.registered, app: app)
            onChange()
            return registered
        case .success(.unchanged):
            counters.count(.unchanged, app: app)
            return unchanged
        case .success(.removed):
            counters.count(.removed, app: app)
            onChange()
            return removed
        case .success(.limited(let rule, let until)):
            counters.count(.limited, app: app)
            return limited(rule, seconds: (until - min(until, wish.now) + 999) / 1000)
        case .failure(let error):
            counters.count(.unavailable, app: app)
            logger.log(
                .error, "push token",
                [
                    "result": .string("unavailable"), "reason": .string(error.kind.rawValue), "app": .string(app),
                    "detail": .string(error.description),
                ])
            return storeRefusals.response(error.kind)
        }
    }

    private func limited(_ rule: LimitRule, seconds: UInt64) -> Response {
        let window = Int64(rule.windowMilliseconds / 1000)
        return Response(
            status: 429,
            json: [
                "error": "too_many_requests",
                "message": .string("At most \(rule.max) in \(window) seconds per \(rule.scope.rawValue); wait \(seconds) seconds."),
                "retry_after": .integer(Int64(seconds)),
                "limit": ["per": .string(rule.scope.rawValue), "max": .integer(Int64(rule.max)), "window_seconds": .integer(window)],
            ], headers: [("Retry-After", "\(seconds)")])
    }

    /// Counts and logs what never came to the store; nothing of it is what the caller chose.
    private func answer(
        _ response: Response, _ result: PushTokenCounters.Result, _ reason: String, _ app: String?, _ request: borrowing Request
    ) -> Decision {
        counters.count(result, app: app)
        logger.log(
            result == .unavailable ? .error : .info, "push token",
            [
                "result": .string(result.rawValue), "reason": .string(reason), "app": .string(app ?? ""),
                "request_id": .string(RequestID(of: request).text),
            ])
        return .answer(response)
    }
}
