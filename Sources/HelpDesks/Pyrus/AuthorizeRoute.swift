internal import Configuration
internal import Core
internal import HTTPServer
internal import HelpDesk
internal import JSON
internal import Observability
internal import Threading
internal import Time
internal import Tracing

/// `POST /pyrus/authorize`: whether a user may use the chat.
///
/// Responds in the server's callback, from memory. Requests share only one snapshot, the counters and the record of recent verdicts. The
/// connection is suspended only while the app's backend is queried.
final class AuthorizeRoute: Sendable {
    static let path: StaticString = "/pyrus/authorize"
    static let bodyLimit = 16 * 1024

    private let state: SnapshotReference<PyrusState>
    private let duration: Histogram
    private let denials: DenialLog
    private let revocations: SnapshotReference<Revocations>
    private let clocks: Clocks
    private let tracer: Tracer
    private let nearestApps: NearestApps
    private let credentials = CredentialReader()
    private let authorized = Response(status: 200, json: ["status": "authorized"])
    private let refusals = AuthorizeRefusals()

    init(state: SnapshotReference<PyrusState>, _ services: HelpDeskServices) {
        self.state = state
        duration = services.metrics.authorizeDuration
        denials = services.denials
        revocations = services.revocations
        clocks = services.clocks
        tracer = services.tracer
        nearestApps = services.metrics.nearestApps
    }

    var route: Route {
        Route(Self.path, bodyLimit: Self.bodyLimit, described: [.post: Self.description], [(.post, { [self] in answer($0, $1) })])
    }

    private static let description = RouteDescription(
        "Decides whether a person may use the chat.",
        body: RouteDescription.Body(
            Schema.object(CallDescription.credentials), form: Schema.object(CallDescription.credentials),
            example: .object(JSONObject(CallDescription.exampleCredentials))),
        answers: [
            RouteDescription.Answer(200, text: "The person may use the chat.", schema: Schema.status("authorized")),
            CallDescription.malformed,
            CallDescription.denied,
            CallDescription.undecided,
        ])

    private func answer(_ request: borrowing Request, _ responder: consuming Responder) -> Answered {
        let start = clocks.monotonicNanoseconds()
        let span = tracer.beginRequest(request.callersTrace())
        let (state, revocations) = (state.current, revocations.current)
        let now = clocks.unixSeconds()
        do throws(BodyError) {
            let level = denials.level
            var (caller, user): (CallerLogFields?, RecordedUser?)
            var question: BackendVerification?
            let decision = try credentials.decision(on: request) { appID, userID, securityKey in
                let decision = state.shared.authorize(
                    appID: appID, userID: userID, securityKey: securityKey, of: .pyrus, now: now, revocations: revocations,
                    asking: &question)
                user = state.shared.recordedUser(decision, userID: userID)
                if case .denied = decision.verdict {
                    nearestApps.note(
                        appID, isUnknown: decision.application == nil, state.shared.authorizer, now: clocks.monotonicMilliseconds())
                }
                if question != nil || decision.verdict.logLevel >= level {
                    caller = CallerLogFields(decision, state.shared.authorizer, appID: appID, userID: userID, securityKey: securityKey)
                }
                return decision
            }
            guard let question else {
                let context = RequestContext(id: caller == nil ? "" : request.requestID, span)
                return responder.respond(
                    respond(decision, state: state, user: user, caller: caller, context: context, now: now, since: start))
            }
            let context = RequestContext(id: request.requestID, span)
            return responder.respondLater(timeoutMilliseconds: question.timeoutMilliseconds) { pending in
                let box = PendingBox(pending)
                question.ask(self.revocations, in: context.trace) { [self, user, caller] verdict, cause in
                    // A shutdown may already have answered.
                    guard box.isAwaited else { return }
                    let decision = decision.confirmed(by: verdict, isBlocked: question.isBlocked(self.revocations.current))
                    box.respond(
                        respond(
                            decision, state: state, user: user, caller: caller?.undecided(cause), context: context, now: now, since: start))
                }
            }
        } catch {
            state.counters.count(error)
            log(error, request: request, span: span)
            duration.observe(nanoseconds: clocks.monotonicNanoseconds() - start)
            let response = Response.error(400, code: "malformed", message: error.message)
            tracer.endRequest(span, route: Self.path, response: response, result: "malformed")
            return responder.respond(response)
        }
    }

    /// Counts, logs and records the final decision, and returns the response. Runs on the server's thread, or on the thread that received
    /// the backend's answer.
    private func respond(
        _ decision: Authorizer.Authorization, state: PyrusState, user: RecordedUser?, caller: CallerLogFields?,
        context: RequestContext,
        now: UnixSeconds, since start: UInt64
    ) -> Response {
        let decision = state.shared.authorizer.applyingShadowMode(to: decision, now: now)
        state.counters.count(decision)
        if let caller, decision.verdict.logLevel >= denials.level { log(decision.verdict, caller: caller, context: context) }
        duration.observe(nanoseconds: clocks.monotonicNanoseconds() - start)
        user?.record(decision.verdict, at: now)
        let response = response(to: decision.verdict)
        if let span = context.span {
            let app = decision.application.map { state.shared.authorizer.applications[$0].name }
            tracer.endRequest(span, route: Self.path, response: response, app: app, result: decision.verdict.result)
        }
        return response
    }

    private func response(to verdict: Verdict) -> Response {
        switch verdict {
        case .authorized, .shadowed: authorized
        case .malformed(let error): .error(400, code: "malformed", message: error.description)
        case .denied: refusals.denied
        case .undecided, .unconfirmed: refusals.undecided
        }
    }

    /// Logs the reason, but no text that the caller chose: a misplaced security key must not reach the log.
    private func log(_ verdict: Verdict, caller: CallerLogFields, context: RequestContext) {
        var fields: LogFields = ["result": .string(verdict.result), "reason": .string(verdict.reason)]
        if case .malformed(let error) = verdict { fields.append("field", .string(error.field.name)) }
        caller.append(to: &fields)
        context.append(to: &fields)
        denials.log(verdict.logLevel, message: "authorize", reason: verdict.reason, app: caller.app, fields: fields)
    }

    private func log(_ error: BodyError, request: borrowing Request, span: OpenSpan?) {
        var fields: LogFields = ["result": .string("malformed"), "reason": .string(error.reason)]
        if let field = error.field { fields.append("field", .string(field)) }
        RequestContext(id: request.requestID, span).append(to: &fields)
        denials.log(.info, message: "authorize", reason: error.reason, fields: fields)
    }
}
