package import Configuration
internal import Core
internal import Crypto
package import HTTPServer
internal import JSON
internal import Observability
internal import Threading
internal import Time
internal import Tracing

/// `POST /pyrus/push-token` and similar routes: registers a device for notifications, or unsubscribes it.
///
/// The security key is verified first, in memory, so that unauthenticated callers never reach the store. Then the connection is suspended
/// until the registration is durable, or until the store finds a revocation that this process does not have yet.
package final class PushTokenRoute: Sendable {
    static let bodyLimit = 16 * 1024
    private static let timeoutMilliseconds: UInt64 = TimeLimit.milliseconds(10_000)

    private enum Decision {
        case answer(Response)
        case register(Registration, telling: RegistryAudience)
        case ask(BackendVerification, Result<PushTokenRequest, BodyError>, app: String?, CallerLogFields, RecordedUser, HelpDeskState)
    }

    private enum Call {
        case allowed(PushTokenRequest)
        case refused(Verdict, CallerLogFields)
        case open(BackendVerification, Result<PushTokenRequest, BodyError>, CallerLogFields, RecordedUser)
    }

    private let path: StaticString
    private let helpDesk: HelpDeskKind
    private let services: HelpDeskServices
    private let refusals = AuthorizeRefusals()
    private let storeRefusals = StoreRefusals()
    private let registered = PushTokenRequest.Status.registered.response
    private let unchanged = PushTokenRequest.Status.unchanged.response
    private let removed = PushTokenRequest.Status.removed.response

    package init(_ path: StaticString, of helpDesk: HelpDeskKind, _ services: HelpDeskServices) {
        self.path = path
        self.helpDesk = helpDesk
        self.services = services
    }

    package var route: Route {
        Route(path, bodyLimit: Self.bodyLimit, described: [.post: PushTokenRequest.description], [(.post, { [self] in answer($0, $1) })])
    }

    private func answer(_ request: borrowing Request, _ responder: consuming Responder) -> Answered {
        let context = RequestContext(id: request.requestID, services.tracer.beginLasting(request.callersTrace()))
        switch decide(request, context) {
        case .answer(let response):
            services.tracer.endRequest(context.span, route: path, response: response)
            return responder.respond(response)
        case .register(let registration, let audience):
            return responder.respondLater(timeoutMilliseconds: Self.timeoutMilliseconds) { pending in
                store(registration, telling: audience, context: context, box: PendingBox(pending))
            }
        case .ask(let question, let call, let app, let caller, let user, let state):
            return responder.respondLater(timeoutMilliseconds: question.timeoutMilliseconds + Self.timeoutMilliseconds) { pending in
                let box = PendingBox(pending)
                question.ask(services.revocations, in: context.trace) { [self] verdict, cause in
                    // A shutdown may already have answered.
                    guard box.isAwaited else { return }
                    user.record(verdict, at: services.clocks.unixSeconds())
                    answer(
                        box, decision: decide(verdict, on: call, app: app, caller: caller.undecided(cause), state: state, context: context),
                        context: context)
                }
            }
        }
    }

    private func answer(_ box: PendingBox, decision: Decision, context: RequestContext) {
        switch decision {
        case .answer(let response):
            services.tracer.endRequest(context.span, route: path, response: response)
            box.respond(response)
        case .register(let registration, let audience): store(registration, telling: audience, context: context, box: box)
        case .ask: preconditionFailure("a backend's verdict leaves no question")
        }
    }

    private func store(_ registration: Registration, telling audience: RegistryAudience, context: RequestContext, box: PendingBox) {
        services.store.register(registration, telling: audience.caused(by: context.trace), isAwaited: { box.isAwaited }) { [self] result in
            let response = recordOutcome(result, of: registration, context)
            services.tracer.endRequest(context.span, route: path, response: response, app: registration.key.appID)
            box.respond(response)
        }
    }

    private func decide(
        _ verdict: Verdict, on call: Result<PushTokenRequest, BodyError>, app: String?, caller: CallerLogFields, state: HelpDeskState,
        context: RequestContext
    ) -> Decision {
        guard case .authorized = verdict else { return refuse(verdict, app: app, caller: caller, context: context) }
        switch call {
        case .success(let call): return register(call, state: state, context: context)
        case .failure(let error): return refuse(error, app: app, context: context)
        }
    }

    private func decide(_ request: borrowing Request, _ context: RequestContext) -> Decision {
        let state = services.state.current
        var app: String?
        do throws(BodyError) {
            // Before the credentials are verified, no other field is used.
            let call = try PushTokenRequest.reader.withFields(of: request) { fields, bytes throws(BodyError) -> Call in
                let ranges = try fields.credentials()
                let (appID, userID) = (bytes.extracting(ranges.appID), bytes.extracting(ranges.userID))
                let key = bytes.extracting(ranges.securityKey)
                var question: BackendVerification?
                let asked = services.clocks.unixSeconds()
                let decision = state.authorize(
                    appID: appID, userID: userID, securityKey: key, of: helpDesk, now: asked, revocations: services.revocations.current,
                    asking: &question)
                let user = state.recordedUser(decision, userID: userID)
                if question == nil { user.record(decision.verdict, at: asked) }
                app = decision.namedApplication.map { state.authorizer.applications[$0].name }
                let isText = decision.application.map { state.authorizer.applications[$0].verification } == .backend
                let (verified, now) = (isText ? nil : SecurityKey(key), services.sharedNow)
                switch decision.verdict {
                case .authorized: return .allowed(try PushTokenRequest(fields, in: bytes, verifiedWith: verified, now: now))
                case .malformed(let error): throw .malformed(error)
                case .denied, .shadowed, .undecided, .unconfirmed: break
                }
                let caller = CallerLogFields(decision, state.authorizer, appID: appID, userID: userID, securityKey: key)
                guard let question else { return .refused(decision.verdict, caller) }
                do throws(BodyError) {
                    return .open(
                        question, .success(try PushTokenRequest(fields, in: bytes, verifiedWith: verified, now: now)), caller, user)
                } catch {
                    return .open(question, .failure(error), caller, user)
                }
            }
            switch call {
            case .allowed(let call): return register(call, state: state, context: context)
            case .refused(let verdict, let caller): return refuse(verdict, app: app, caller: caller, context: context)
            case .open(let question, let call, let caller, let user): return .ask(question, call, app: app, caller, user, state)
            }
        } catch {
            return refuse(error, app: app, context: context)
        }
    }

    private func register(_ call: PushTokenRequest, state: HelpDeskState, context: RequestContext) -> Decision {
        do throws(BodyError) {
            try call.checkToken(isForAPNs: state.subscriptions.useAPNsAlone(call.key.appID, deviceType: call.type))
        } catch {
            return refuse(error, app: call.key.appID, context: context)
        }
        do throws(CryptoError) {
            var token: PushToken?
            if let text = call.token { token = try PushToken(text) }
            return .register(
                Registration(
                    key: call.key, type: call.type, token: token, now: services.clocks.unixMilliseconds(), rules: state.pushTokenLimits,
                    claims: call.claims),
                telling: state.subscriptions.registry)
        } catch {
            let app = call.key.appID
            return .answer(
                refuse(
                    refusals.undecided, result: .unavailable, level: .error, reason: error.description, app: app,
                    details: ["app": .string(app)], context: context))
        }
    }

    /// Counts and logs the store's decision, wakes the dispatcher when the registration created an event, and returns the answer. Runs on
    /// the store's thread.
    private func recordOutcome(
        _ result: Result<Registration.Outcome, StoreError>, of registration: Registration, _ context: RequestContext
    ) -> Response {
        let app = registration.key.appID
        let metrics = services.metrics.pushTokens
        switch result {
        case .success(.registered):
            metrics.count(.registered, app: app)
            noteType(of: registration)
            services.onChange()
            return registered
        case .success(.unchanged):
            metrics.count(.unchanged, app: app)
            noteType(of: registration)
            return unchanged
        case .success(.removed):
            metrics.count(.removed, app: app)
            services.onChange()
            return removed
        case .success(.limited(let rule, let until)):
            let (state, refusal) = (services.state.current, LimitRefusal(rule, until: until))
            let response = Response.limited(refusal, now: registration.now)
            let failure = AuthorizationFailure(refusal, at: services.clocks.unixSeconds())
            state.recordedUser(of: registration.key).record(failure)
            var fields: LogFields = ["next_at": .string(RFC3339.text(until))]
            CallerLogFields(registration, state.authorizer).append(to: &fields)
            return refuse(
                response, result: .limited, level: .info, reason: failure.reason.word, app: app, details: fields, context: context)
        case .success(.revoked):
            return refuse(.denied(.revoked, keyID: registration.claims.key?.keyID), registration: registration, context: context)
        case .success(.undecided): return refuse(.undecided(.internalError), registration: registration, context: context)
        case .failure(let error):
            metrics.count(.unavailable, app: app)
            var fields: LogFields = [
                "result": .string("unavailable"), "reason": .string(error.kind.rawValue), "app": .string(app),
                "detail": .string(error.description),
            ]
            context.append(to: &fields)
            services.logger.log(.error, message: "push token", fields: fields)
            return storeRefusals.response(error.kind)
        }
    }

    private func noteType(of registration: Registration) {
        let (app, type) = (registration.key.appID, registration.type)
        let isServed = !services.state.current.subscriptions.leaveOut(app, deviceType: type)
        let now = services.clocks.monotonicMilliseconds()
        services.metrics.unservedDevices.withLock { $0.note(app: app, type: type, isServed: isServed, now: now) }
    }

    private func refuse(_ verdict: Verdict, app: String?, caller: CallerLogFields, context: RequestContext) -> Decision {
        .answer(refuse(verdict, app: app, caller: caller, context: context))
    }

    /// Rejects a call because of a revocation that was in the store but not yet in memory.
    private func refuse(_ verdict: Verdict, registration: Registration, context: RequestContext) -> Response {
        refuse(
            verdict, app: registration.key.appID, caller: CallerLogFields(registration, services.state.current.authorizer), context: context
        )
    }

    private func refuse(_ verdict: Verdict, app: String?, caller: CallerLogFields, context: RequestContext) -> Response {
        var fields: LogFields = [:]
        caller.append(to: &fields)
        if case .denied = verdict {
            return refuse(
                refusals.denied, result: .denied, level: verdict.logLevel, reason: verdict.reason, app: app, details: fields,
                context: context)
        }
        return refuse(
            refusals.undecided, result: .unavailable, level: verdict.logLevel, reason: verdict.reason, app: app, details: fields,
            context: context)
    }

    private func refuse(_ error: BodyError, app: String?, context: RequestContext) -> Decision {
        var fields: LogFields = [:]
        if let app { fields.append("app", .string(app)) }
        if let field = error.field { fields.append("field", .string(field)) }
        return .answer(
            refuse(
                .error(400, code: "malformed", message: error.message), result: .malformed, level: .info, reason: error.reason, app: app,
                details: fields, context: context))
    }

    /// Counts and logs a refused call. No field contains text from the caller.
    private func refuse(
        _ response: Response, result: PushTokenCounters.Result, level: LogLevel, reason: String, app: String?,
        details: LogFields, context: RequestContext
    ) -> Response {
        services.metrics.pushTokens.count(result, app: app)
        var fields: LogFields = ["result": .string(result.rawValue), "reason": .string(reason)]
        fields.append(details)
        context.append(to: &fields)
        services.denials.log(level, message: "push token", reason: reason, app: app, fields: fields)
        return response
    }
}
