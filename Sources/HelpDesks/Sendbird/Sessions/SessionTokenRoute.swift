internal import Configuration
internal import Core
internal import HTTPServer
internal import HelpDesk
internal import JSON
internal import Observability
internal import Threading
internal import Time
internal import Tracing

/// `POST /sendbird/session-token`: a person's app gets a session token for Sendbird Chat.
///
/// The security key is verified first, from memory. A token that is kept is answered at once; otherwise the connection is suspended while
/// Sendbird, or before it the app's backend, is asked. An app's shadow mode gives nobody a token: it would be another person's.
final class SessionTokenRoute: Sendable {
    static let path: StaticString = "/sendbird/session-token"
    static let bodyLimit = 16 * 1024
    /// How much longer than those who are asked the request may take, in milliseconds.
    private static let marginMilliseconds: UInt64 = 1000

    /// A request and what is known of it.
    private struct Call: Sendable {
        let state: SendbirdState
        let mark: RequestMark
        /// The app; nil when it is not configured.
        let app: String?
        /// Nil when the key has not been found to be in force.
        let caller: SessionCaller?
        /// For the log.
        let denied: Caller?
    }

    private let state: Live<SendbirdState>
    private let services: HelpDeskServices
    private let credentials = CredentialReader()
    private let answers = SessionAnswers()

    init(state: Live<SendbirdState>, _ services: HelpDeskServices) {
        self.state = state
        self.services = services
    }

    var route: Route {
        Route(Self.path, bodyLimit: Self.bodyLimit, described: [.post: SessionAnswers.description], [(.post, { [self] in answer($0, $1) })])
    }

    private func answer(_ request: borrowing Request, _ responder: consuming Responder) -> Answered {
        let mark = RequestMark(id: request.requestID, services.tracer.beginLasting(request.callersTrace()))
        let state = state.current
        var question: BackendQuestion?
        do throws(BodyError) {
            var call: Call?
            let decision = try credentials.decision(on: request) { appID, userID, key in
                let decision = decide(state, appID, userID, key, asking: &question)
                call = self.call(state, mark, decision, appID, userID, key)
                return decision
            }
            guard let call else { return responder.respond(answers.undecided) }
            if let question { return ask(question, call, responder) }
            guard case .authorized = decision.verdict else { return responder.respond(refuse(decision.verdict, call)) }
            return issue(call, responder)
        } catch {
            let response = Response.error(400, "malformed", error.message)
            var fields: LogFields = [:]
            if let field = error.field { fields.append("field", .string(field)) }
            log(.malformed, .info, error.reason, nil, fields, mark)
            return responder.respond(end(response, .malformed, nil, mark, state))
        }
    }

    private func decide(
        _ state: SendbirdState, _ appID: Span<UInt8>, _ userID: Span<UInt8>, _ key: Span<UInt8>, asking question: inout BackendQuestion?
    ) -> Authorizer.Decision {
        state.shared.decide(
            appID: appID, userID: userID, securityKey: key, of: .sendbird, now: services.clocks.unixSeconds(),
            revocations: services.revocations.current, asking: &question)
    }

    /// Keeps what is needed of a request after its body is gone.
    private func call(
        _ state: SendbirdState, _ mark: RequestMark, _ decision: Authorizer.Decision, _ appID: Span<UInt8>, _ userID: Span<UInt8>,
        _ key: Span<UInt8>
    ) -> Call {
        let authorizer = state.shared.authorizer
        let application = decision.application.map { authorizer.applications[$0] }
        var (caller, denied): (SessionCaller?, Caller?)
        switch decision.verdict {
        case .authorized, .unconfirmed:
            caller = application.map { application in
                SessionCaller(
                    application, policy: authorizer.policy, userID: String(userID),
                    key: application.verification == .backend ? nil : SecurityKey(key))
            }
        default: break
        }
        if case .authorized = decision.verdict {
        } else {
            denied = Caller(decision, authorizer, appID: appID, userID: userID, securityKey: key)
        }
        return Call(state: state, mark: mark, app: application?.name, caller: caller, denied: denied)
    }

    /// Has the app's backend asked, then Sendbird.
    private func ask(_ question: BackendQuestion, _ call: Call, _ responder: consuming Responder) -> Answered {
        let issuing = call.app.flatMap { call.state.sessions.issuer(of: $0)?.longestMilliseconds } ?? 0
        return responder.respondLater(timeoutMilliseconds: question.timeoutMilliseconds + issuing + Self.marginMilliseconds) { pending in
            let box = PendingBox(pending)
            question.ask(services.revocations, in: call.mark.trace) { [self] verdict in
                // A stop may have answered already.
                guard box.isAwaited else { return }
                guard case .authorized = verdict, let caller = call.caller else {
                    box.respond(refuse(verdict, call))
                    return
                }
                if let refusal = refusal(of: caller, call) {
                    box.respond(refusal)
                    return
                }
                issue(caller, call, box)
            }
        }
    }

    /// Answers whoever may have a token, at once if one is kept.
    private func issue(_ call: Call, _ responder: consuming Responder) -> Answered {
        guard let caller = call.caller else { return responder.respond(answers.undecided) }
        if let refusal = refusal(of: caller, call) { return responder.respond(refusal) }
        guard let issuer = call.app.flatMap({ call.state.sessions.issuer(of: $0) }) else {
            return responder.respond(end(answers.off, .off, call.app, call.mark, call.state))
        }
        if let session = issuer.find(caller) { return responder.respond(conclude(.kept(session), call)) }
        return responder.respondLater(timeoutMilliseconds: issuer.longestMilliseconds + Self.marginMilliseconds) { pending in
            issue(caller, call, PendingBox(pending))
        }
    }

    private func issue(_ caller: SessionCaller, _ call: Call, _ box: PendingBox) {
        guard let issuer = call.app.flatMap({ call.state.sessions.issuer(of: $0) }) else {
            box.respond(end(answers.off, .off, call.app, call.mark, call.state))
            return
        }
        issuer.ask(caller) { [self] outcome in box.respond(conclude(outcome, call)) }
    }

    /// The answer to somebody whose key is in force, and who can have no token all the same; nil for anybody else.
    private func refusal(of caller: SessionCaller, _ call: Call) -> Response? {
        guard !PlatformRequest.isAddressable(caller.userID) else { return nil }
        log(.malformed, .info, "no_address", call.app, [:], call.mark)
        return end(answers.unusableUser, .malformed, call.app, call.mark, call.state)
    }

    private func refuse(_ verdict: Verdict, _ call: Call) -> Response {
        var fields: LogFields = [:]
        call.denied?.append(to: &fields)
        let (result, response): (SessionCounters.Result, Response) =
            switch verdict {
            case .malformed(let malformation): (.malformed, .error(400, "malformed", malformation.description))
            case .denied: (.denied, answers.denied)
            case .authorized, .shadowed, .undecided, .unconfirmed: (.unavailable, answers.undecided)
            }
        log(result, verdict.logLevel, verdict.reason, nil, fields, call.mark)
        return end(response, result, call.app, call.mark, call.state)
    }

    private func conclude(_ outcome: SessionOutcome, _ call: Call) -> Response {
        let now = services.clocks.unixMilliseconds()
        let (result, response) = answers.answer(to: outcome, now: now)
        let reason: String? =
            switch outcome {
            case .issued, .kept: nil
            case .limited(let rule, _): "limit_per_\(rule.scope.rawValue)"
            case .throttled: PlatformObserver.Outcome.rateLimited.rawValue
            case .revoked: Denial.revoked.rawValue
            case .expired: Denial.expired.rawValue
            case .refusedUser: "refused_by_help_desk"
            case .unavailable(let reason): reason
            }
        if let reason { log(result, result == .unavailable ? .warning : .info, reason, call.app, [:], call.mark) }
        return end(response, result, call.app, call.mark, call.state)
    }

    /// Counts an answer and ends its span.
    private func end(
        _ response: Response, _ result: SessionCounters.Result, _ app: String?, _ mark: RequestMark, _ state: SendbirdState
    ) -> Response {
        state.sessions.counters.count(result, app: app)
        services.tracer.endRequest(mark.span, Self.path, response, app: app, result: result.rawValue)
        return response
    }

    /// Logs a call without a token; no field of the line has the caller's own text.
    private func log(
        _ result: SessionCounters.Result, _ level: LogLevel, _ reason: String, _ app: String?, _ details: LogFields, _ mark: RequestMark
    ) {
        var fields: LogFields = ["result": .string(result.rawValue), "reason": .string(reason)]
        if let app { fields.append("app", .string(app)) }
        fields.append(details)
        mark.append(to: &fields)
        services.denials.log(level, "session token", reason: reason, fields)
    }
}
