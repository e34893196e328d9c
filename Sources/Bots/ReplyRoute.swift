internal import Bytes
internal import Core
internal import HTTPServer
internal import HelpDesk
internal import JSON
internal import Observability
internal import Threading
internal import Tracing

/// `POST /bots/:name/reply`: separates a bot's text from its quick replies, for a company that runs its own model.
///
/// A ticket authenticates the user as for a call, and refusals are counted and logged like those of a call without a function.
struct ReplyRoute: Sendable {
    static let path: StaticString = "/bots/:name/reply"
    /// The maximum size of a text, in bytes.
    static let longestText = 64 * 1024
    /// A text in JSON is up to twice as long unless letters are escaped. Proxies accept no larger request about a bot.
    private static let bodyLimit = 2 * longestText

    let state: SnapshotReference<BotsState>
    let services: HelpDeskServices
    let gate: CallGate
    let caller: BotCaller

    var route: Route {
        Route(Self.path, bodyLimit: Self.bodyLimit, described: [.post: BotDescriptions.reply], [(.post, { answer($0, $1) })])
    }

    private func answer(_ request: borrowing Request, _ responder: consuming Responder) -> Answered {
        let context = RequestContext(id: request.requestID, services.tracer.beginRequest(request.callersTrace()))
        let state = state.current
        let bot = state.bot(request.withPathParameter { String(repairing: $0) })
        var holder: BotGrant?
        let response: Response
        var result = CallResult.succeeded
        do throws(CallRefusal) {
            let asked = try Self.asked(request)
            guard let bot else { throw .unknownBot }
            let grant = try gate.provenTicket(asked.ticket, bot: bot, state: state, caller: &holder).grant
            if let refusal = caller.refusalIfExhausted(of: grant) { throw refusal }
            response = Self.response(QuickReplies(in: asked.text), bot)
        } catch {
            (response, result) = (error.response, error.result)
            if let bot {
                _ = caller.refuse(error, bot: bot, function: nil, caller: holder, context: context)
            } else {
                caller.log(error, bot: nil, function: nil, caller: nil, context: context, id: nil)
            }
        }
        services.tracer.endRequest(context.span, route: Self.path, response: response, app: holder?.appID, result: result.rawValue)
        return responder.respond(response)
    }

    private static func asked(_ request: borrowing Request) throws(CallRefusal) -> (ticket: String?, text: String) {
        do throws(BotArgumentsProblem) {
            let body = try ReceivedArguments.callBody(request)
            guard let text = body["text"]?.string else { throw BotArgumentsProblem("text must be a string without unpaired surrogates") }
            guard text.utf8.count <= longestText else { throw BotArgumentsProblem("text must have at most \(longestText) bytes") }
            return (body["ticket"]?.string, text)
        } catch {
            throw .malformed(error)
        }
    }

    private static func response(_ replies: QuickReplies, _ bot: ServedBot) -> Response {
        bot.quickReplies.cut.increment(by: UInt64(replies.cut))
        bot.quickReplies.broken.increment(by: UInt64(replies.broken))
        return Response(
            status: 200, json: ["text": .string(replies.text), "options": .array(replies.options.map { .string($0) })],
            headers: [("Cache-Control", "no-store")])
    }
}
