internal import Bytes
package import Configuration
internal import Core
package import HTTPServer
internal import Observability
internal import Threading
internal import Time
internal import Tracing

/// A `POST` route for users' apps that requires a security key.
///
/// The key is verified first, in memory, so that unauthenticated callers cause no further work. If the app has a backend, it is queried
/// next, while the connection is suspended. `perform` runs only after that, so its limits count only calls of the user. The app's shadow
/// mode does not apply, because a caller without a valid key would act in another user's name.
package final class AuthenticatedRoute: Sendable {
    /// Counts a call. `app` is nil when it is unknown; `parameter` is the value of `AuthenticatedCaller.parameter`.
    package typealias Count = @Sendable (_ result: String, _ app: String?, _ parameter: String) -> Void

    private let path: StaticString
    private let helpDesk: HelpDeskKind?
    private let bodyLimit: Int
    private let timeoutMilliseconds: @Sendable () -> UInt64
    private let description: RouteDescription
    private let services: HelpDeskServices
    private let read: BoundReader
    private let count: Count
    private let refusals = AuthorizeRefusals()

    /// - Parameters:
    ///   - path: may have one parameter, which is passed in `AuthenticatedCaller`.
    ///   - helpDesk: apps of other help desks are denied like unknown ones; nil for a route of all apps.
    ///   - timeoutMilliseconds: the timeout of a step that answers later.
    ///   - count: receives the results of `perform`, and `malformed`, `denied` and `unavailable`.
    package init<Payload>(
        _ path: StaticString, of helpDesk: HelpDeskKind?, bodyLimit: Int = 16 * 1024,
        timeoutMilliseconds: @autoclosure @escaping @Sendable () -> UInt64, description: RouteDescription, _ services: HelpDeskServices,
        reading reader: AuthenticatedReader<Payload>, count: @escaping Count, perform: @escaping AuthenticatedReader<Payload>.Perform
    ) {
        self.path = path
        self.helpDesk = helpDesk
        self.bodyLimit = bodyLimit
        self.timeoutMilliseconds = timeoutMilliseconds
        self.description = description
        self.services = services
        self.count = count
        read = reader.reader(perform)
    }

    package var route: Route {
        Route(path, bodyLimit: bodyLimit, described: [.post: description], [(.post, { [self] in answer($0, $1) })])
    }

    private struct Origin: Sendable {
        let context: RequestContext
        let parameter: String
    }

    private struct Call: Sendable {
        let verdict: Verdict
        let user: RecordedUser
        /// The app; nil when it is not configured.
        let app: String?
        /// The authenticated caller; nil when the key is not valid.
        let proven: AuthenticatedCaller?
        /// The log fields; nil when nothing is logged.
        var caller: CallerLogFields?
    }

    private enum Next {
        case answer(Response)
        case later(@Sendable (_ complete: @escaping @Sendable (Response) -> Void) -> Void)
    }

    private func answer(_ request: borrowing Request, _ responder: consuming Responder) -> Answered {
        let origin = Origin(
            context: RequestContext(id: request.requestID, services.tracer.beginRequest(request.callersTrace())),
            parameter: request.pathParameterText)
        let state = services.state.current
        var (evaluated, question): (Call?, BackendVerification?)
        let payload: Result<PreparedRequest, BodyError>?
        do throws(BodyError) {
            payload = try read(request) { appID, userID, key in
                let decision = state.authorize(
                    appID: appID, userID: userID, securityKey: key, of: helpDesk, now: services.clocks.unixSeconds(),
                    revocations: services.revocations.current, asking: &question)
                let call = Self.call(decision, state: state, appID: appID, userID: userID, key: key, origin: origin)
                evaluated = call
                return call.proven != nil
            }
        } catch {
            return responder.respond(refuse(error, app: nil, origin: origin))
        }
        guard let call = evaluated else { preconditionFailure("the reader must have checked the credentials") }
        guard let question else { return answer(next(call.verdict, call: call, payload: payload, origin: origin), responder) }
        return responder.respondLater(timeoutMilliseconds: question.timeoutMilliseconds + timeoutMilliseconds()) { pending in
            let box = PendingBox(pending)
            question.ask(services.revocations, in: origin.context.trace) { [self] verdict, cause in
                // A shutdown may already have answered the request.
                guard box.isAwaited else { return }
                var call = call
                call.caller = call.caller?.undecided(cause)
                switch next(verdict, call: call, payload: payload, origin: origin) {
                case .answer(let response): box.respond(response)
                case .later(let start): start { box.respond($0) }
                }
            }
        }
    }

    private func answer(_ next: Next, _ responder: consuming Responder) -> Answered {
        switch next {
        case .answer(let response): return responder.respond(response)
        case .later(let start):
            return responder.respondLater(timeoutMilliseconds: timeoutMilliseconds()) { pending in
                let box = PendingBox(pending)
                start { box.respond($0) }
            }
        }
    }

    private static func call(
        _ decision: Authorizer.Authorization, state: HelpDeskState, appID: Span<UInt8>, userID: Span<UInt8>, key: Span<UInt8>,
        origin: Origin
    ) -> Call {
        let authorizer = state.authorizer
        let application = decision.application.map { authorizer.applications[$0] }
        var (proven, caller): (AuthenticatedCaller?, CallerLogFields?)
        switch decision.verdict {
        case .authorized, .unconfirmed:
            proven = application.map { application in
                AuthenticatedCaller(
                    application, policy: authorizer.policy, userID: String(userID), parameter: origin.parameter, context: origin.context,
                    key: application.verification == .backend ? nil : SecurityKey(key))
            }
        case .malformed, .denied, .shadowed, .undecided: break
        }
        // Computing a user reference takes as long as verifying a key, so it is omitted when nothing will be logged.
        if case .authorized = decision.verdict {
        } else {
            caller = CallerLogFields(decision, authorizer, appID: appID, userID: userID, securityKey: key)
        }
        return Call(
            verdict: decision.verdict, user: state.recordedUser(decision, userID: userID),
            app: decision.namedApplication.map { authorizer.applications[$0].name }, proven: proven, caller: caller)
    }

    /// Records the final verdict and decides how to answer.
    private func next(_ verdict: Verdict, call: Call, payload: Result<PreparedRequest, BodyError>?, origin: Origin) -> Next {
        call.user.record(verdict, at: services.clocks.unixSeconds())
        guard case .authorized = verdict, let caller = call.proven, let payload else {
            return .answer(refuse(verdict, call: call, origin: origin))
        }
        let perform: PreparedRequest
        switch payload {
        case .success(let bound): perform = bound
        case .failure(let error): return .answer(refuse(error, app: caller.appID, origin: origin))
        }
        switch perform(caller) {
        case .answer(let answer): return .answer(conclude(answer, app: caller.appID, origin: origin))
        case .later(let start):
            return .later { [self] complete in
                start { [self] answer in complete(conclude(answer, app: caller.appID, origin: origin)) }
            }
        }
    }

    private func conclude(_ answer: AuthenticatedAnswer, app: String, origin: Origin) -> Response {
        if let reason = answer.reason {
            log(answer.result, level: answer.level, reason: reason, app: app, details: ["app": .string(app)], context: origin.context)
        }
        return end(answer.response, result: answer.result, app: app, origin: origin)
    }

    private func refuse(_ verdict: Verdict, call: Call, origin: Origin) -> Response {
        if case .malformed(let error) = verdict { return refuse(.malformed(error), app: call.app, origin: origin) }
        var fields: LogFields = [:]
        call.caller?.append(to: &fields)
        let isDenied = if case .denied = verdict { true } else { false }
        let result = isDenied ? "denied" : "unavailable"
        log(result, level: verdict.logLevel, reason: verdict.reason, app: call.app, details: fields, context: origin.context)
        return end(isDenied ? refusals.denied : refusals.undecided, result: result, app: call.app, origin: origin)
    }

    private func refuse(_ error: BodyError, app: String?, origin: Origin) -> Response {
        var fields: LogFields = [:]
        if let app { fields.append("app", .string(app)) }
        if let field = error.field { fields.append("field", .string(field)) }
        log("malformed", level: .info, reason: error.reason, app: app, details: fields, context: origin.context)
        return end(.error(400, code: "malformed", message: error.message), result: "malformed", app: app, origin: origin)
    }

    private func end(_ response: Response, result: String, app: String?, origin: Origin) -> Response {
        count(result, app, origin.parameter)
        services.tracer.endRequest(origin.context.span, route: path, response: response, app: app, result: result)
        return response
    }

    /// Logs a call that failed. No field contains text from the caller.
    private func log(
        _ result: String, level: LogLevel, reason: String, app: String?, details: LogFields, context: RequestContext
    ) {
        var fields: LogFields = ["route": .string("\(path)"), "result": .string(result), "reason": .string(reason)]
        fields.append(details)
        context.append(to: &fields)
        services.denials.log(level, message: "customer's call", reason: reason, app: app, fields: fields)
    }
}

extension Request {
    /// Copies the path segment at the route's parameter; empty when the route has no parameter.
    fileprivate var pathParameterText: String {
        withPathParameter { text in text.isEmpty ? "" : String(repairing: text) }
    }
}
