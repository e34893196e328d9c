internal import Core
internal import HTTPServer
internal import HelpDesk
internal import JSON
internal import Observability
internal import Threading
internal import Time

/// `POST /pyrus/authorize`: may this user use the chat?
///
/// Answers in the server's callback, from memory. Requests share only one snapshot and the counters.
final class AuthorizeRoute: Sendable {
    static let path: StaticString = "/pyrus/authorize"
    static let bodyLimit = 16 * 1024

    private let state: Live<PyrusState>
    private let duration: Histogram
    private let denials: DenialLog
    private let clocks: Clocks
    private let credentials = CredentialReader()
    private let authorized = Response(status: 200, json: ["status": "authorized"])
    private let refusals = AuthorizeRefusals()

    init(state: Live<PyrusState>, _ services: HelpDeskServices) {
        self.state = state
        duration = services.metrics.authorizeDuration
        denials = services.denials
        clocks = services.clocks
    }

    var route: Route {
        Route(Self.path, bodyLimit: Self.bodyLimit, [(.post, { [self] request, responder in responder.respond(answer(request)) })])
    }

    private func answer(_ request: borrowing Request) -> Response {
        let start = clocks.monotonicNanoseconds()
        defer { duration.observe(nanoseconds: clocks.monotonicNanoseconds() - start) }
        let state = state.current
        let now = clocks.unixSeconds()
        do throws(BodyError) {
            let level = denials.level
            var caller: Caller?
            let decision = try credentials.decision(on: request) { appID, userID, securityKey in
                let decision = state.shared.authorizer.decide(appID: appID, userID: userID, securityKey: securityKey, now: now)
                if decision.verdict.logLevel >= level {
                    caller = Caller(decision, state.shared.authorizer, appID: appID, userID: userID, securityKey: securityKey)
                }
                return decision
            }
            state.counters.count(decision)
            state.shared.keyUses.note(decision, now: now)
            if let caller { log(decision.verdict, caller, request) }
            return response(to: decision.verdict)
        } catch {
            state.counters.count(error)
            log(error, request)
            return .error(400, "malformed", error.message)
        }
    }

    private func response(to verdict: Verdict) -> Response {
        switch verdict {
        case .authorized: authorized
        case .malformed(let malformation): .error(400, "malformed", malformation.description)
        case .denied: refusals.denied
        case .undecided: refusals.undecided
        }
    }

    /// Logs the reason, but no text that the caller chose: a misplaced security key must not reach the log.
    private func log(_ verdict: Verdict, _ caller: Caller, _ request: borrowing Request) {
        var fields: LogFields = ["result": .string(verdict.result), "reason": .string(verdict.reason)]
        if case .malformed(let malformation) = verdict { fields.append("field", .string(malformation.field.name)) }
        caller.append(to: &fields)
        fields.append("request_id", .string(request.requestID))
        denials.log(verdict.logLevel, "authorize", reason: verdict.reason, fields)
    }

    private func log(_ error: BodyError, _ request: borrowing Request) {
        var fields: LogFields = ["result": .string("malformed"), "reason": .string(error.reason)]
        if let field = error.field { fields.append("field", .string(field)) }
        fields.append("request_id", .string(request.requestID))
        denials.log(.info, "authorize", reason: error.reason, fields)
    }
}

extension Verdict {
    /// The kind of answer, as in logs and metrics.
    var result: String {
        switch self {
        case .authorized: "authorized"
        case .malformed: "malformed"
        case .denied: "denied"
        case .undecided: "undecided"
        }
    }

    fileprivate var logLevel: LogLevel {
        switch self {
        case .authorized: .debug
        case .malformed, .denied: .info
        case .undecided: .error
        }
    }
}
