internal import Bytes
internal import Core
internal import Crypto
internal import HTTPServer
internal import HelpDesk
internal import Observability
internal import Threading
internal import Time
internal import Tracing

/// `POST /sendbird/chat-webhook/<app>` and `POST /sendbird/desk-webhook/<app>`: receive events of tickets and their channels.
///
/// The request is suspended until the resulting events are durable. Meanwhile, the server thread processes other connections.
final class SendbirdWebhookRoute: Sendable {
    static let chatPath: StaticString = "/sendbird/chat-webhook/:app"
    static let deskPath: StaticString = "/sendbird/desk-webhook/:app"
    static let bodyLimit = 1024 * 1024

    private enum Decision {
        case answer(Response, SendbirdState.App?)
        case store(SendbirdState.App, Question)
    }

    private enum Webhook {
        case chat(ChatWebhook)
        case read(ReadWebhook)
        case desk(DeskWebhook)
    }

    private struct Question {
        let report: Report
        /// The message whose owner may have to be requested from Desk; nil for a webhook of Desk or about a read channel.
        let unowned: (webhook: ChatWebhook, maker: ReportBuilder, body: [UInt8])?
    }

    private let sender: SendbirdSender
    private let state: SnapshotReference<SendbirdState>
    private let services: HelpDeskServices
    private let findOwner: OwnerFinder?
    private let journal: WebhookJournal
    /// The pairs of app and token that were already logged as signers of Desk's webhooks.
    private let named = Monitor<Set<String>>([])

    /// - Parameter findOwner: nil when Desk cannot be queried.
    init(_ sender: SendbirdSender, state: SnapshotReference<SendbirdState>, _ services: HelpDeskServices, findOwner: OwnerFinder? = nil) {
        (self.sender, self.state, self.services, self.findOwner) = (sender, state, services, findOwner)
        journal = WebhookJournal(services)
    }

    var route: Route {
        Route(
            path, bodyLimit: Self.bodyLimit, admission: { [self] in refusal(of: $0) }, described: [.post: sender.description],
            [(.post, { [self] in answer($0, $1) })])
    }

    private var path: StaticString { sender == .chat ? Self.chatPath : Self.deskPath }

    /// Desk waits one second, and Chat five. If the answer is late, they send the webhook again.
    private var timeoutMilliseconds: UInt64 { TimeLimit.milliseconds(sender == .chat ? 4500 : 900) }

    /// Returns the rejection of a request before its body is received; nil to receive the body. Unknown and known apps are treated alike,
    /// because `100 Continue` and the response time would reveal which apps exist.
    private func refusal(of request: borrowing Request) -> Response? {
        guard sender.code(request) == nil else { return nil }
        let state = state.current
        let context = RequestContext(id: request.requestID, request.callersTrace().flatMap { services.tracer.begin(below: $0) })
        return deny(.noSignature, app: state.app(request), request: request, state: state, context: context)
    }

    /// - Parameter cause: the logged cause if the app exists.
    private func deny(
        _ cause: WebhookRefusal, app: SendbirdState.App?, request: borrowing Request, state: SendbirdState, context: RequestContext
    ) -> Response {
        let cause = app == nil ? .unknownApp : cause
        // Samples log lines of unknown apps in the same way, because the time to write a line would reveal which apps exist.
        journal.refuse(
            cause, counters: app?.counters ?? state.unknown, reason: cause.rawValue, kind: "denied", app: app?.id, request: request,
            context: context)
        return journal.answers.denied
    }

    private func answer(_ request: borrowing Request, _ responder: consuming Responder) -> Answered {
        let context = RequestContext(id: request.requestID, services.tracer.beginLasting(request.callersTrace()))
        switch decide(request, context) {
        case .answer(let response, let app):
            services.tracer.endRequest(context.span, route: path, response: response, app: app?.id)
            return responder.respond(response)
        case .store(let app, let question):
            return responder.respondLater(timeoutMilliseconds: timeoutMilliseconds) { pending in
                store(question, app: app, context: context, box: PendingBox(pending))
            }
        }
    }

    private func decide(_ request: borrowing Request, _ context: RequestContext) -> Decision {
        let state = state.current
        let found = state.app(request)
        guard let code = sender.code(request) else {
            return .answer(deny(.noSignature, app: found, request: request, state: state, context: context), found)
        }
        let token: StaticString?
        do throws(CryptoError) {
            let keys = found?.keys ?? state.unknownKeys
            token = try request.withBody { body throws(CryptoError) in try keys.signer(of: body, code, from: sender) }
        } catch {
            return fail(error, app: found, state: state, context: context)
        }
        guard let app = found, let token else {
            return .answer(deny(.signature, app: found, request: request, state: state, context: context), found)
        }
        if sender == .desk { logToken(token, app) }
        do throws(WebhookError) {
            let (webhook, leftOut) = try request.withBody { body throws(WebhookError) in
                let root = try WebhookFields(parsing: body)
                return (try read(root, app), root.leftOut)
            }
            journal.leaveOut(leftOut, app: app.id, context)
            guard let webhook else { return .answer(journal.ignore(app.counters, app: app.id, context), app) }
            // Ignores a message immediately if the decision does not depend on stored facts.
            if case .chat(let chat) = webhook, case .ignored(let reason) = chat.decision(StoredChatFacts()) {
                return .answer(journal.ignore(app.counters, reason: reason?.rawValue, app: app.id, context), app)
            }
            return decide(request, webhook: webhook, app: app, state: state, context: context)
        } catch {
            journal.refuse(.malformed, counters: app.counters, reason: error.reason, app: app.id, request: request, context: context)
            return .answer(.error(400, code: "malformed", message: error.message), app)
        }
    }

    private func fail(_ error: CryptoError, app: SendbirdState.App?, state: SendbirdState, context: RequestContext) -> Decision {
        journal.note(
            .unavailable, counters: app?.counters ?? state.unknown, level: .error, reason: error.description, app: app?.id, context: context
        )
        return .answer(journal.answers.refusals.unavailable, app)
    }

    private func read(_ root: WebhookFields, _ app: SendbirdState.App) throws(WebhookError) -> Webhook? {
        switch sender {
        case .chat where try ChatWebhook.category(root, appID: app.id) == ReadWebhook.category:
            ReadWebhook(root, bots: app.bots).map { .read($0) }
        case .chat: try ChatWebhook(root, appID: app.id, bots: app.bots).map { .chat($0) }
        case .desk: try DeskWebhook(root).map { .desk($0) }
        }
    }

    private func decide(
        _ request: borrowing Request, webhook: Webhook, app: SendbirdState.App, state: SendbirdState, context: RequestContext
    ) -> Decision {
        do throws(CryptoError) {
            let identity = try request.withBody { body throws(CryptoError) in
                switch webhook {
                case .chat(let webhook): try webhook.identity(app.id, body: body)
                case .read, .desk: try Report.identity(appID: app.id, body: body)
                }
            }
            let maker = try ReportBuilder(
                of: app, receivedAt: services.clocks.unixMilliseconds(), lifetimeMilliseconds: app.subscriptions.lifetimeMilliseconds,
                trace: context.trace, identity: identity, services)
            return .store(app, question(webhook, maker: maker, request: request))
        } catch {
            return fail(error, app: app, state: state, context: context)
        }
    }

    private func question(_ webhook: Webhook, maker: ReportBuilder, request: borrowing Request) -> Question {
        switch webhook {
        case .chat(let webhook):
            Question(
                report: maker.report(webhook, found: nil, isFinal: false),
                unowned: (webhook, maker, request.withBody { Array(copying: $0) }))
        case .read(let webhook): Question(report: maker.report(webhook), unowned: nil)
        case .desk(let webhook): Question(report: maker.report(webhook), unowned: nil)
        }
    }

    /// Logs once for each app which token Desk uses for signatures, because the documentation does not specify it.
    private func logToken(_ token: StaticString, _ app: SendbirdState.App) {
        guard named.withLock({ $0.insert("\(app.id) \(token)").inserted }) else { return }
        services.logger.log(.info, message: "desk webhooks are signed", fields: ["app": .string(app.id), "token": .string("\(token)")])
    }

    /// - Parameter reason: the reason why the message is held, for the log; nil when the message is not held.
    private func store(
        _ question: Question, app: SendbirdState.App, context: RequestContext, box: PendingBox, heldFor reason: String? = nil
    ) {
        services.store.accept(question.report, isAwaited: { box.isAwaited }) { [self] result in
            if case .success(.undecided) = result, let findOwner, let unowned = question.unowned {
                let (webhook, maker, body) = unowned
                return findOwner(app, webhook.channel.text) { [self] answer in
                    let (report, reason): (Report, String?) =
                        switch answer.counted(for: webhook, age: 0) {
                        case .owner(let owner): (maker.report(webhook, found: owner, isFinal: true), nil)
                        case .nobody: (maker.report(webhook, found: nil, isFinal: true), nil)
                        case .unavailable(let reason, _): (maker.held(webhook, body: body), reason)
                        }
                    store(Question(report: report, unowned: nil), app: app, context: context, box: box, heldFor: reason)
                }
            }
            if case .success(.accepted(_, _, let score?, _)) = result { app.ratings[score]?.increment() }
            let response = recordOutcome(result, app: app, context: context, heldFor: reason)
            services.tracer.endRequest(context.span, route: path, response: response, app: app.id)
            box.respond(response)
        }
    }

    /// Counts and logs the store's decision, wakes the dispatcher if there are new events, and returns the answer. Runs on the store's
    /// thread.
    private func recordOutcome(
        _ result: Result<ReportOutcome, StoreError>, app: SendbirdState.App, context: RequestContext, heldFor reason: String?
    ) -> Response {
        switch result {
        case .success(.accepted(let events, let remark, _, _)):
            let remark = remark.flatMap { DurableWebhookResult(rawValue: $0) }
            let level: LogLevel = remark == nil || remark == .duplicate ? .debug : .info
            // Adds the API, because a reason such as `timeout` alone could refer to the store.
            let more: LogFields = reason.map { ["api": .string(PlatformAPI.desk.rawValue), "reason": .string($0)] } ?? [:]
            journal.store(
                remark?.result ?? .accepted, counters: app.counters, app: app.id, event: events.first, level: level, more: more,
                context: context)
            if !events.isEmpty { services.onChange() }
            return remark == .duplicate ? journal.answers.duplicate : journal.answers.accepted
        case .success(.duplicate(let earlier)):
            journal.store(.duplicate, counters: app.counters, app: app.id, event: earlier.first, context: context)
            return journal.answers.duplicate
        case .success(.ignored(let reason)): return journal.ignore(app.counters, reason: reason, app: app.id, context)
        case .success(.undecided):
            journal.note(.unavailable, counters: app.counters, level: .error, reason: "former_unknown", app: app.id, context: context)
            return journal.answers.refusals.unavailable
        case .failure(let error): return journal.fail(error, counters: app.counters, app: app.id, context: context)
        }
    }
}
