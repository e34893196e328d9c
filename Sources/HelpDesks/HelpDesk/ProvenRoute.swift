package import Configuration
internal import Core
package import HTTPServer
package import JSON
package import Observability
internal import Threading
internal import Time
internal import Tracing

/// Somebody whose security key lets the person use the chat.
package struct ProvenCaller: Sendable {
    /// The app.
    package let appID: String
    /// The person.
    package let userID: String
}

/// The answer to a proven caller, with what is counted and logged of it.
package struct ProvenAnswer: Sendable {
    /// The answer.
    package let response: Response
    /// The result, as in logs and metrics.
    package let result: String
    /// Why it was not done, for a log line; nil where it was done and nothing is logged. Never anything that a caller wrote.
    package let reason: String?
    /// How important that line is.
    package let level: LogLevel

    /// Tells of an answer.
    package init(_ response: Response, result: String, reason: String? = nil, level: LogLevel = .info) {
        self.response = response
        self.result = result
        self.reason = reason
        self.level = level
    }
}

/// A `POST` of a person's app with its security key, whose answer may take long: a JSON object with `app_id`, `user_id`, `security_key` and
/// more.
///
/// The key is verified first, from memory, so that strangers cause no work. Then the connection is suspended while the app's backend and whoever
/// else is asked.
package final class ProvenRoute<Wish: Sendable>: Sendable {
    /// Answers a proven caller exactly once, on any thread; must not block.
    package typealias Perform = @Sendable (ProvenCaller, Wish, @escaping @Sendable (ProvenAnswer) -> Void) -> Void

    private let path: StaticString
    private let helpDesk: HelpDeskKind
    private let timeoutMilliseconds: UInt64
    private let bodyLimit: Int
    private let description: RouteDescription
    private let services: HelpDeskServices
    private let count: @Sendable (_ result: String, _ app: String?) -> Void
    private let read: @Sendable (JSONObject) throws(BodyError) -> Wish
    private let perform: Perform
    private let credentials = CredentialReader()
    private let refusals = AuthorizeRefusals()

    /// Makes the route.
    /// - Parameters:
    ///   - timeoutMilliseconds: how long `perform` may take.
    ///   - count: counts a call; its app is nil when none is known.
    ///   - read: reads the rest of a proven caller's body.
    package init(
        _ path: StaticString, of helpDesk: HelpDeskKind, bodyLimit: Int, timeoutMilliseconds: UInt64, description: RouteDescription,
        _ services: HelpDeskServices, count: @escaping @Sendable (_ result: String, _ app: String?) -> Void,
        read: @escaping @Sendable (JSONObject) throws(BodyError) -> Wish, perform: @escaping Perform
    ) {
        self.path = path
        self.helpDesk = helpDesk
        self.bodyLimit = bodyLimit
        self.timeoutMilliseconds = timeoutMilliseconds
        self.description = description
        self.services = services
        self.count = count
        self.read = read
        self.perform = perform
    }

    /// The route.
    package var route: Route {
        Route(path, bodyLimit: bodyLimit, described: [.post: description], [(.post, { [self] in answer($0, $1) })])
    }

    /// A call after its body is gone.
    private struct Call: Sendable {
        let mark: RequestMark
        /// The app; nil when it is not configured.
        let app: String?
        let userID: String
        let body: [UInt8]
        /// For the log.
        let caller: Caller
    }

    private func answer(_ request: borrowing Request, _ responder: consuming Responder) -> Answered {
        let mark = RequestMark(id: request.requestID, services.tracer.beginLasting(request.callersTrace()))
        let state = services.state.current
        let body = request.withBody { body in body.indices.map { body[$0] } }
        do throws(BodyError) {
            var call: Call?
            var question: BackendQuestion?
            let decision = try credentials.decision(on: request) { appID, userID, key in
                let decision = state.decide(
                    appID: appID, userID: userID, securityKey: key, of: helpDesk, now: services.clocks.unixSeconds(),
                    revocations: services.revocations.current, asking: &question)
                call = Call(
                    mark: mark, app: decision.application.map { state.authorizer.applications[$0].name }, userID: String(userID),
                    body: body,
                    caller: Caller(decision, state.authorizer, appID: appID, userID: userID, securityKey: key))
                return decision
            }
            guard let call else { preconditionFailure("credentials that were read are decided on") }
            if case .malformed(let malformation) = decision.verdict { throw .malformed(malformation) }
            return answer(call, decision.verdict, question, responder)
        } catch {
            return responder.respond(refuse(error, nil, mark))
        }
    }

    private func answer(
        _ call: Call, _ verdict: Verdict, _ question: BackendQuestion?, _ responder: consuming Responder
    ) -> Answered {
        if let question {
            return responder.respondLater(timeoutMilliseconds: question.timeoutMilliseconds + timeoutMilliseconds) { pending in
                let box = PendingBox(pending)
                question.ask(services.revocations, in: call.mark.trace) { [self] verdict in
                    // A stop may have answered already.
                    guard box.isAwaited else { return }
                    proceed(call, verdict, box)
                }
            }
        }
        guard case .authorized = verdict else { return responder.respond(refuse(verdict, call)) }
        return responder.respondLater(timeoutMilliseconds: timeoutMilliseconds) { pending in proceed(call, verdict, PendingBox(pending)) }
    }

    private func proceed(_ call: Call, _ verdict: Verdict, _ box: PendingBox) {
        guard case .authorized = verdict, let app = call.app else {
            box.respond(refuse(verdict, call))
            return
        }
        do throws(BodyError) {
            perform(ProvenCaller(appID: app, userID: call.userID), try read(Self.object(call.body))) { [self] answer in
                box.respond(conclude(answer, app, call.mark))
            }
        } catch {
            box.respond(refuse(error, app, call.mark))
        }
    }

    private static func object(_ body: [UInt8]) throws(BodyError) -> JSONObject {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONDocument(parsing: body.span).value()
        } catch {
            throw .invalidJSON(error)
        }
        guard case .object(let object) = value else { throw .notAnObject }
        return object
    }

    private func conclude(_ answer: ProvenAnswer, _ app: String, _ mark: RequestMark) -> Response {
        if let reason = answer.reason { log(answer.result, answer.level, reason, ["app": .string(app)], mark) }
        return end(answer.response, answer.result, app, mark)
    }

    private func refuse(_ verdict: Verdict, _ call: Call) -> Response {
        var fields: LogFields = [:]
        call.caller.append(to: &fields)
        let isDenied = if case .denied = verdict { true } else { false }
        let result = isDenied ? "denied" : "unavailable"
        log(result, verdict.logLevel, verdict.reason, fields, call.mark)
        return end(isDenied ? refusals.denied : refusals.undecided, result, call.app, call.mark)
    }

    private func refuse(_ error: BodyError, _ app: String?, _ mark: RequestMark) -> Response {
        var fields: LogFields = [:]
        if let app { fields.append("app", .string(app)) }
        if let field = error.field { fields.append("field", .string(field)) }
        log("malformed", .info, error.reason, fields, mark)
        return end(.error(400, "malformed", error.message), "malformed", app, mark)
    }

    private func end(_ response: Response, _ result: String, _ app: String?, _ mark: RequestMark) -> Response {
        count(result, app)
        services.tracer.endRequest(mark.span, path, response, app: app, result: result)
        return response
    }

    /// Logs a call that was not done; no field of the line has the caller's own text.
    private func log(_ result: String, _ level: LogLevel, _ reason: String, _ details: LogFields, _ mark: RequestMark) {
        var fields: LogFields = ["route": .string("\(path)"), "result": .string(result), "reason": .string(reason)]
        fields.append(details)
        mark.append(to: &fields)
        services.denials.log(level, "customer's call", reason: reason, fields)
    }
}
