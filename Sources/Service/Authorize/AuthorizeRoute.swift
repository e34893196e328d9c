internal import Core
internal import HTTPServer
internal import JSON
internal import Observability

/// `POST /pyrus/authorize`: may this user use the chat?
///
/// Answers in the server's callback, from memory. What is shared with other requests is one snapshot and the counters.
final class AuthorizeRoute: Sendable {
    static let path: StaticString = "/pyrus/authorize"
    static let bodyLimit = 16 * 1024

    private let state: LiveStateHolder
    private let duration: Histogram
    private let logger: Logger
    private let clocks: Clocks
    private let credentials = CredentialReader()
    private let authorized = Response(status: 200, json: ["status": "authorized"])
    private let refusals = AuthorizeRefusals()

    init(state: LiveStateHolder, duration: Histogram, logger: Logger, clocks: Clocks) {
        self.state = state
        self.duration = duration
        self.logger = logger
        self.clocks = clocks
    }

    var route: Route {
        Route(Self.path, bodyLimit: Self.bodyLimit, [(.post, { [self] request, responder in responder.respond(answer(request)) })])
    }

    private func answer(_ request: borrowing Request) -> Response {
        let start = clocks.monotonicNanoseconds()
        defer { duration.observe(nanoseconds: clocks.monotonicNanoseconds() - start) }
        let state = state.current
        let now = clocks.unixSeconds()
        do throws(UnreadableBody) {
            let decision = try credentials.withCredentials(of: request) { appID, userID, securityKey in
                state.authorizer.decide(appID: appID, userID: userID, securityKey: securityKey, now: now)
            }
            state.counters.count(decision)
            if decision.verdict.logLevel >= logger.level { log(decision, state.authorizer, request) }
            return response(to: decision.verdict)
        } catch {
            state.counters.count(error)
            logger.log(
                .info, "authorize",
                ["result": .string("malformed"), "reason": .string(error.reason), "request_id": .string(RequestID(of: request).text)])
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

    /// Tells operators why, but nothing that the caller chose: a misplaced security key must not reach the log.
    private func log(_ decision: Authorizer.Decision, _ authorizer: Authorizer, _ request: borrowing Request) {
        var fields: LogFields = ["result": .string(decision.verdict.result), "reason": .string(decision.verdict.reason)]
        if let application = decision.application {
            fields.append("app", .string(String(decoding: authorizer.applications[application].id, as: UTF8.self)))
        }
        if let keyID = decision.verdict.keyID { fields.append("key_id", .integer(Int(keyID))) }
        fields.append("request_id", .string(RequestID(of: request).text))
        logger.log(decision.verdict.logLevel, "authorize", fields)
    }
}

extension Verdict {
    /// The kind of answer, as it stands in logs and metrics.
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
