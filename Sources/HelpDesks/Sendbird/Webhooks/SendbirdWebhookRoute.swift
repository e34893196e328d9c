internal import Bytes
internal import Core
internal import Crypto
internal import HTTPServer
internal import HelpDesk
internal import Observability
internal import Threading
internal import Time
internal import Tracing

/// Finds out whose channel it is by asking Desk. The completion is called exactly once, on any thread, within seconds, with nil when Desk
/// does not know or does not answer.
typealias OwnerFinder =
    @Sendable (
        _ app: SendbirdState.App, _ channel: String, _ completion: @escaping @Sendable (ChannelOwner?) -> Void
    ) -> Void

/// `POST /sendbird/chat-webhook/<app>` and `POST /sendbird/desk-webhook/<app>`: what happens in tickets and their channels.
///
/// The connection is suspended until what follows is durable; meanwhile the serving thread continues with other connections.
final class SendbirdWebhookRoute: Sendable {
    static let chatPath: StaticString = "/sendbird/chat-webhook/:app"
    static let deskPath: StaticString = "/sendbird/desk-webhook/:app"
    static let bodyLimit = 1024 * 1024

    private enum Decision {
        case answer(Response, SendbirdState.App?)
        case store(SendbirdState.App, Question)
    }

    /// A webhook of either sender.
    private enum Webhook {
        case chat(ChatWebhook)
        case desk(DeskWebhook)
    }

    /// What the store is asked.
    private struct Question {
        /// With an owner that Desk has named, or nil, it is decided in any case.
        let report: @Sendable (_ found: ChannelOwner?, _ isFinal: Bool) -> Report
        /// The channel whose owner may have to be asked for; nil where Desk has told of the ticket itself.
        let channel: String?
    }

    private let sender: SendbirdSender
    private let state: Live<SendbirdState>
    private let services: HelpDeskServices
    private let findOwner: OwnerFinder?
    private let journal: WebhookJournal
    /// The apps of which was logged with whose token Desk signs.
    private let named = Monitor<Set<String>>([])

    /// - Parameter findOwner: nil where nobody can be asked.
    init(_ sender: SendbirdSender, state: Live<SendbirdState>, _ services: HelpDeskServices, findOwner: OwnerFinder? = nil) {
        (self.sender, self.state, self.services, self.findOwner) = (sender, state, services, findOwner)
        journal = WebhookJournal(services)
    }

    /// The route.
    var route: Route {
        Route(
            path, bodyLimit: Self.bodyLimit, admission: { [self] in refusal(of: $0) }, described: [.post: sender.description],
            [(.post, { [self] in answer($0, $1) })])
    }

    private var path: StaticString { sender == .chat ? Self.chatPath : Self.deskPath }

    /// Desk waits one second, Chat five; whoever is not answered in time sends the webhook again.
    private var timeoutMilliseconds: UInt64 { TimeLimit.milliseconds(sender == .chat ? 4500 : 900) }

    /// The answer to a request that is refused before its body is received; nil when it is not. Whether there is such an app makes no
    /// difference, because the sender learns from `100 Continue` and from the time whether the body is wanted.
    private func refusal(of request: borrowing Request) -> Response? {
        guard sender.code(request) == nil else { return nil }
        let state = state.current
        let mark = RequestMark(id: request.requestID, request.callersTrace().flatMap { services.tracer.begin(below: $0) })
        return deny("no_signature", state.app(request), state, mark)
    }

    /// - Parameter reason: of an app that there is.
    private func deny(_ reason: String, _ app: SendbirdState.App?, _ state: SendbirdState, _ mark: RequestMark) -> Response {
        // Sampled alike, because a line takes time and would tell which apps there are.
        journal.refuse(
            .denied, app?.counters ?? state.unknown, level: .info, reason: app == nil ? "unknown_app" : reason, kind: "denied",
            app: app?.id,
            mark)
        return journal.answers.denied
    }

    private func answer(_ request: borrowing Request, _ responder: consuming Responder) -> Answered {
        let mark = RequestMark(id: request.requestID, services.tracer.beginLasting(request.callersTrace()))
        switch decide(request, mark) {
        case .answer(let response, let app):
            services.tracer.endRequest(mark.span, path, response, app: app?.id)
            return responder.respond(response)
        case .store(let app, let question):
            return responder.respondLater(timeoutMilliseconds: timeoutMilliseconds) { pending in
                store(question, app, mark, PendingBox(pending))
            }
        }
    }

    private func decide(_ request: borrowing Request, _ mark: RequestMark) -> Decision {
        let state = state.current
        let found = state.app(request)
        guard let code = sender.code(request) else { return .answer(deny("no_signature", found, state, mark), found) }
        let token: StaticString?
        do throws(CryptoError) {
            let keys = found?.keys ?? state.unknownKeys
            token = try request.withBody { body throws(CryptoError) in try keys.signer(of: body, code, from: sender) }
        } catch {
            return fail(error, found, state, mark)
        }
        guard let app = found, let token else { return .answer(deny("signature", found, state, mark), found) }
        if sender == .desk { tell(token, app) }
        do throws(WebhookError) {
            let (webhook, leftOut) = try request.withBody { body throws(WebhookError) in
                let root = try WebhookFields(parsing: body)
                return (try read(root, app), root.leftOut)
            }
            journal.leaveOut(leftOut, app: app.id, mark)
            guard let webhook else { return .answer(journal.ignore(app.counters, app: app.id, mark), app) }
            // With nothing remembered a message is ignored only if it is ignored whatever is remembered.
            if case .chat(let chat) = webhook, case .ignored(let reason) = chat.decision(ChatMemory()) {
                return .answer(journal.ignore(app.counters, reason: reason?.rawValue, app: app.id, mark), app)
            }
            return decide(request, webhook, app, state, mark)
        } catch {
            journal.refuse(.malformed, app.counters, level: .info, reason: error.reason, app: app.id, mark)
            return .answer(.error(400, "malformed", error.message), app)
        }
    }

    private func fail(_ error: CryptoError, _ app: SendbirdState.App?, _ state: SendbirdState, _ mark: RequestMark) -> Decision {
        journal.refuse(.unavailable, app?.counters ?? state.unknown, level: .error, reason: error.description, app: app?.id, mark)
        return .answer(journal.answers.refusals.unavailable, app)
    }

    private func read(_ root: WebhookFields, _ app: SendbirdState.App) throws(WebhookError) -> Webhook? {
        switch sender {
        case .chat: try ChatWebhook(root, appID: app.id, bots: app.bots).map { .chat($0) }
        case .desk: try DeskWebhook(root).map { .desk($0) }
        }
    }

    private func decide(
        _ request: borrowing Request, _ webhook: Webhook, _ app: SendbirdState.App, _ state: SendbirdState, _ mark: RequestMark
    ) -> Decision {
        do throws(CryptoError) {
            let maker = try ReportMaker(
                appID: app.id, app.subscriptions, receivedAt: services.clocks.unixMilliseconds(), trace: mark.trace,
                identity: try identity(of: webhook, request, app.id), random: services.random, isFormer: isFormer(app.id))
            return .store(app, question(webhook, maker))
        } catch {
            return fail(error, app, state, mark)
        }
    }

    /// By what the webhook is recognised when it comes again: by the message that it brings, or else by its body.
    private func identity(
        of webhook: Webhook, _ request: borrowing Request, _ appID: String
    ) throws(CryptoError) -> Event.Identity {
        if case .chat(let webhook) = webhook, webhook.isComment { return webhook.messageIdentity(appID) }
        let digest = try request.withBody { body throws(CryptoError) in try sha256(body) }
        guard let identity = Report.identity(appID: appID, digest: Hexadecimal.text(digest.span)) else {
            preconditionFailure("hexadecimal digits are an identity")
        }
        return identity
    }

    private func question(_ webhook: Webhook, _ maker: ReportMaker) -> Question {
        switch webhook {
        case .chat(let webhook):
            let first = maker.report(webhook, found: nil, isFinal: findOwner == nil)
            return Question(
                report: { found, isFinal in isFinal ? maker.report(webhook, found: found, isFinal: true) : first },
                channel: webhook.channel.text)
        case .desk(let webhook):
            let report = maker.report(webhook)
            return Question(report: { _, _ in report }, channel: nil)
        }
    }

    private func isFormer(_ appID: String) -> @Sendable (String) -> Bool? {
        { [services] userID in try? services.revocations.current.isFormer(appID: appID.utf8.span, userID: userID.utf8.span) }
    }

    /// Logs once for each app with whose token Desk signs, because its documentation does not say.
    private func tell(_ token: StaticString, _ app: SendbirdState.App) {
        guard named.withLock({ $0.insert("\(app.id) \(token)").inserted }) else { return }
        services.logger.log(.info, "desk webhooks are signed", ["app": .string(app.id), "token": .string("\(token)")])
    }

    private func store(
        _ question: Question, _ app: SendbirdState.App, _ mark: RequestMark, _ box: PendingBox, found: ChannelOwner? = nil,
        isFinal: Bool = false
    ) {
        services.store.accept(question.report(found, isFinal), isAwaited: { box.isAwaited }) { [self] result in
            if case .success(.undecided) = result, !isFinal, let findOwner, let channel = question.channel {
                return findOwner(app, channel) { [self] found in store(question, app, mark, box, found: found, isFinal: true) }
            }
            if case .success(.accepted(_, _, let score?)) = result { app.ratings[score]?.increment() }
            let response = recordOutcome(result, app, mark)
            services.tracer.endRequest(mark.span, path, response, app: app.id)
            box.respond(response)
        }
    }

    /// Counts and logs the store's decision, wakes the dispatcher when there is something to deliver, and returns the answer. Runs on the
    /// store's thread.
    private func recordOutcome(
        _ result: Result<ReportOutcome, StoreError>, _ app: SendbirdState.App, _ mark: RequestMark
    ) -> Response {
        switch result {
        case .success(.accepted(let events, let remark, _)):
            let remark = remark.flatMap { WebhookRemark(rawValue: $0) }
            let level: LogLevel = remark == nil || remark == .duplicate ? .debug : .info
            journal.store(remark?.result ?? .accepted, app.counters, app: app.id, event: events.first, level: level, mark)
            if !events.isEmpty { services.onChange() }
            return remark == .duplicate ? journal.answers.duplicate : journal.answers.accepted
        case .success(.duplicate(let earlier)):
            journal.store(.duplicate, app.counters, app: app.id, event: earlier.first, mark)
            return journal.answers.duplicate
        case .success(.ignored(let reason)): return journal.ignore(app.counters, reason: reason, app: app.id, mark)
        case .success(.undecided):
            journal.refuse(.unavailable, app.counters, level: .error, reason: "former_unknown", app: app.id, mark)
            return journal.answers.refusals.unavailable
        case .failure(let error): return journal.fail(error, app.counters, app: app.id, mark)
        }
    }
}

extension WebhookRemark {
    /// What metrics call it.
    fileprivate var result: WebhookResult {
        switch self {
        case .duplicate: .duplicate
        case .unasked: .unasked
        case .stale: .stale
        case .conflict: .conflict
        case .malformed: .malformed
        case .noCustomer: .noCustomer
        }
    }
}
