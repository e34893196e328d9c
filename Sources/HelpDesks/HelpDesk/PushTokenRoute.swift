internal import Configuration
internal import Core
package import HTTPServer
internal import JSON
internal import Observability
internal import Threading
internal import Time

/// `POST /pyrus/push-token` and the like: a device wants to be notified, or not any more.
///
/// The key is verified first and from memory, so that strangers never reach the store; then the connection is suspended until the registry has
/// decided and what it decided is durable.
package final class PushTokenRoute: Sendable {
    static let bodyLimit = 16 * 1024
    private static let timeoutMilliseconds: UInt64 = 10_000

    private enum Decision {
        case answer(Response)
        case register(Registration, telling: RegistryAudience)
    }

    private let path: StaticString
    private let services: HelpDeskServices
    private let refusals = AuthorizeRefusals()
    private let storeRefusals = StoreRefusals()
    private let registered = Response(status: 200, json: ["status": "registered"])
    private let unchanged = Response(status: 200, json: ["status": "unchanged"])
    private let removed = Response(status: 200, json: ["status": "removed"])

    /// Makes the route of a help desk at its path.
    package init(_ path: StaticString, _ services: HelpDeskServices) {
        self.path = path
        self.services = services
    }

    /// The route.
    package var route: Route {
        Route(path, bodyLimit: Self.bodyLimit, [(.post, { [self] in answer($0, $1) })])
    }

    private func answer(_ request: borrowing Request, _ responder: consuming Responder) -> Answered {
        switch decide(request) {
        case .answer(let response): return responder.respond(response)
        case .register(let registration, let audience):
            let requestID = request.requestID
            return responder.respondLater(timeoutMilliseconds: Self.timeoutMilliseconds) { pending in
                let box = PendingBox(pending)
                services.store.register(registration, telling: audience, isAwaited: { box.isAwaited }) { [self] result in
                    box.respond(response(to: result, registration, requestID))
                }
            }
        }
    }

    private func decide(_ request: borrowing Request) -> Decision {
        var app: String?
        do throws(PushTokenMistake) {
            let wish = try PushTokenRequest(request)
            let state = services.state.current
            let (appID, userID, key) = (wish.appID.utf8.span, wish.userID.utf8.span, wish.securityKey.utf8.span)
            let decision = state.authorizer.decide(appID: appID, userID: userID, securityKey: key, now: services.clocks.unixSeconds())
            app = decision.application.map { String(decoding: state.authorizer.applications[$0].id, as: UTF8.self) }
            switch decision.verdict {
            case .authorized: return .register(try registration(wish, state.pushTokenLimits), telling: state.subscriptions.registry)
            case .malformed(let malformation): throw .unreadable(.malformed(malformation))
            case .denied, .undecided:
                let caller = Caller(decision, state.authorizer, appID: appID, userID: userID, securityKey: key)
                return refuse(decision.verdict, app, caller, request)
            }
        } catch {
            return refuse(error, app, request)
        }
    }

    private func registration(_ wish: PushTokenRequest, _ rules: [LimitRule]) throws(PushTokenMistake) -> Registration {
        Registration(
            key: Device.Key(appID: wish.appID, userID: wish.userID, deviceID: try wish.deviceID()), type: try wish.type(),
            token: try wish.token(), now: services.clocks.unixMilliseconds(), rules: rules)
    }

    /// Notes what the store says, on its thread.
    private func response(to result: Result<Registration.Outcome, StoreError>, _ wish: Registration, _ requestID: String) -> Response {
        let app = wish.key.appID
        switch result {
        case .success(.registered):
            services.metrics.pushTokens.count(.registered, app: app)
            services.onChange()
            return registered
        case .success(.unchanged):
            services.metrics.pushTokens.count(.unchanged, app: app)
            return unchanged
        case .success(.removed):
            services.metrics.pushTokens.count(.removed, app: app)
            services.onChange()
            return removed
        case .success(.limited(let rule, let until)):
            services.metrics.pushTokens.count(.limited, app: app)
            return limited(rule, seconds: (until - min(until, wish.now) + 999) / 1000)
        case .failure(let error):
            services.metrics.pushTokens.count(.unavailable, app: app)
            services.logger.log(
                .error, "push token",
                [
                    "result": .string("unavailable"), "reason": .string(error.kind.rawValue), "app": .string(app),
                    "detail": .string(error.description), "request_id": .string(requestID),
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

    /// Answers whom the key does not authorize.
    private func refuse(_ verdict: Verdict, _ app: String?, _ caller: Caller, _ request: borrowing Request) -> Decision {
        var fields: LogFields = [:]
        caller.append(to: &fields)
        guard case .undecided = verdict else { return answer(refusals.denied, .denied, verdict.reason, app, fields, request) }
        return answer(refusals.undecided, .unavailable, verdict.reason, app, fields, request)
    }

    /// Answers what cannot be read or worked on.
    private func refuse(_ mistake: PushTokenMistake, _ app: String?, _ request: borrowing Request) -> Decision {
        var fields: LogFields = [:]
        if let app { fields.append("app", .string(app)) }
        if case .unreadable(let body) = mistake, let field = body.field { fields.append("field", .string(field)) }
        guard case .failed = mistake else {
            return answer(.error(400, "malformed", mistake.message), .malformed, mistake.reason, app, fields, request)
        }
        return answer(refusals.undecided, .unavailable, mistake.reason, app, fields, request)
    }

    /// Counts and logs what never came to the store; nothing of it is what the caller chose.
    private func answer(
        _ response: Response, _ result: PushTokenCounters.Result, _ reason: String, _ app: String?, _ details: LogFields,
        _ request: borrowing Request
    ) -> Decision {
        services.metrics.pushTokens.count(result, app: app)
        var fields: LogFields = ["result": .string(result.rawValue), "reason": .string(reason)]
        fields.append(details)
        fields.append("request_id", .string(request.requestID))
        services.denials.log(result == .unavailable ? .error : .info, "push token", reason: reason, fields)
        return .answer(response)
    }
}
