internal import Bytes
internal import Core
internal import HTTPServer
internal import HelpDesk
internal import JSON
internal import Observability
internal import Threading
internal import Tracing

/// The routes for holders of a ticket: `/bots/:name/functions/:function` for the vendor, and `/bots/:name/call` for other models.
///
/// Both check the call at once, and then suspend the connection while the backend is called.
final class CallRoutes: Sendable {
    static let functionPath: StaticString = "/bots/:name/functions/:function"
    static let callPath: StaticString = "/bots/:name/call"
    /// Arguments in a JSON string are up to twice as long.
    private static let callBodyLimit = 2 * ReceivedArguments.longest

    private let state: SnapshotReference<BotsState>
    private let services: HelpDeskServices
    private let gate: CallGate
    private let caller: BotCaller

    init(_ state: SnapshotReference<BotsState>, services: HelpDeskServices, gate: CallGate, caller: BotCaller) {
        (self.state, self.services, self.gate, self.caller) = (state, services, gate, caller)
    }

    var routes: [Route] {
        [
            Route(
                Self.functionPath, bodyLimit: ReceivedArguments.longest,
                described: [.get: BotDescriptions.functionByGet, .post: BotDescriptions.functionByPost],
                [(.get, { [self] in answerFunction($0, $1) }), (.post, { [self] in answerFunction($0, $1) })]),
            Route(
                Self.callPath, bodyLimit: Self.callBodyLimit, described: [.post: BotDescriptions.call],
                [(.post, { [self] in answerCall($0, $1) })]),
        ]
    }

    private func answerFunction(_ request: borrowing Request, _ responder: consuming Responder) -> Answered {
        let isGet = request.method != .post
        let end = End(context(request), path: Self.functionPath, method: isGet ? "GET" : "POST", tracer: services.tracer) { reply, _ in
            reply.response
        }
        let asked = BotCallRequest(
            ticket: request.bearer, function: request.withSecondPathParameter { String(repairing: $0) }, isGet: isGet, confirmation: nil)
        return answer(asked, request: request, responder: responder, end: end) { byteCount throws(BotArgumentsProblem) in
            try ReceivedArguments(request, byteCount: &byteCount)
        }
    }

    private func answerCall(_ request: borrowing Request, _ responder: consuming Responder) -> Answered {
        let end = End(context(request), path: Self.callPath, method: "POST", tracer: services.tracer) { reply, function in
            reply.response(endpoint: function?.endpoint ?? "")
        }
        do throws(BotArgumentsProblem) {
            let asked = try Self.asked(request)
            return answer(asked, request: request, responder: responder, end: end) { byteCount throws(BotArgumentsProblem) in
                let body = request.withBody { Array(copying: $0) }
                byteCount = body.count
                return try ReceivedArguments(ofCall: body)
            }
        } catch {
            let refusal = CallRefusal.malformed(error)
            let bot = state.current.bot(request.withPathParameter { String(repairing: $0) })
            bot?.others.increment(.invalid)
            caller.log(refusal, bot: bot, function: nil, caller: nil, context: end.context, id: nil)
            return responder.respond(end(.refusal(refusal), nil))
        }
    }

    /// Reads a call without its arguments, which are read after the ticket is verified.
    private static func asked(_ request: borrowing Request) throws(BotArgumentsProblem) -> BotCallRequest {
        let body = try ReceivedArguments.callBody(request)
        guard let name = body["name"]?.string else { throw BotArgumentsProblem("name must be the name of a function") }
        return BotCallRequest(ticket: body["ticket"]?.string, function: name, isGet: false, confirmation: try confirmation(body))
    }

    private static func confirmation(_ body: JSONElement) throws(BotArgumentsProblem) -> String? {
        guard let value = body["confirmation"], !value.isNull else { return nil }
        guard let text = value.string else { throw BotArgumentsProblem("confirmation must be a string") }
        return text
    }

    private func answer(
        _ asked: BotCallRequest, request: borrowing Request, responder: consuming Responder, end: End,
        readArguments: CallGate.ArgumentReader
    ) -> Answered {
        let state = state.current
        guard let bot = state.bot(request.withPathParameter({ String(repairing: $0) })) else {
            caller.log(.unknownBot, bot: nil, function: nil, caller: nil, context: end.context, id: nil)
            return responder.respond(end(.refusal(.unknownBot), nil))
        }
        // A thousand simultaneous calls to a hanging backend must not occupy the serving threads. So the call is not compared with earlier
        // ones, and the answer does not state whether it was made before.
        guard !bot.coalescer.withLock(\.isFull) else {
            return responder.respond(
                end(caller.refuse(.busy, bot: bot, function: bot.function(asked.function), caller: nil, context: end.context), nil))
        }
        switch gate.decide(asked, bot: bot, state: state, context: end.context, readArguments: readArguments) {
        case .refuse(let reply): return responder.respond(end(reply, nil))
        case .perform(let call):
            return responder.respondLater(timeoutMilliseconds: call.timeoutMilliseconds) { pending in
                let box = PendingBox(pending)
                caller.perform(call) { reply in box.respond(end(reply, call)) }
            }
        }
    }

    private func context(_ request: borrowing Request) -> RequestContext {
        RequestContext(id: request.requestID, services.tracer.beginLasting(request.callersTrace()))
    }
}

extension CallRoutes {
    private struct End: Sendable {
        let context: RequestContext
        private let path: StaticString
        private let method: StaticString
        private let tracer: Tracer
        private let render: @Sendable (CallReply, ServedBot.Function?) -> Response

        init(
            _ context: RequestContext, path: StaticString, method: StaticString, tracer: Tracer,
            render: @escaping @Sendable (CallReply, ServedBot.Function?) -> Response
        ) {
            (self.context, self.path, self.method, self.tracer, self.render) = (context, path, method, tracer, render)
        }

        /// - Parameter call: nil for a refused call.
        func callAsFunction(_ reply: CallReply, _ call: AuthorizedBotCall?) -> Response {
            let response = render(reply, call?.function)
            tracer.endRequest(
                context.span, route: path, response: response, method: method, app: call?.caller.appID, result: reply.result.rawValue)
            return response
        }
    }
}

extension Request {
    /// Copies the bearer token; nil when there is none.
    fileprivate var bearer: String? {
        var text: String?
        withBearerToken { token in
            if let token { text = String(repairing: token) }
        }
        return text
    }
}
