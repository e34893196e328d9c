internal import Configuration
internal import Core
internal import Crypto
internal import HTTPServer
internal import HelpDesk
internal import Observability
internal import Threading
internal import Time
internal import Tracing

/// `POST /pyrus/webhook/<secret>` and the signed `POST /pyrus/webhook`: receive comments of support.
///
/// The connection is suspended until the event is durable; meanwhile the serving thread continues with other connections.
final class WebhookRoute: Sendable {
    static let path: StaticString = "/pyrus/webhook"
    static let secretPath: StaticString = "/pyrus/webhook/:secret"
    static let bodyLimit = 1024 * 1024
    private static let timeoutMilliseconds: UInt64 = TimeLimit.milliseconds(10_000)

    private enum Decision {
        case answer(Response)
        case store(IncomingWebhook, telling: RegistryAudience)
    }

    private let state: SnapshotReference<PyrusState>
    private let services: HelpDeskServices
    private let journal: WebhookJournal

    init(state: SnapshotReference<PyrusState>, _ services: HelpDeskServices) {
        self.state = state
        self.services = services
        journal = WebhookJournal(services)
    }

    var routes: [Route] {
        [route(Self.path, provenBy: .signature), route(Self.secretPath, provenBy: .path)]
    }

    private func route(_ path: StaticString, provenBy proof: WebhookIntake.Proof) -> Route {
        Route(
            path, bodyLimit: Self.bodyLimit, admission: { [self] in refusal(of: $0, proof) }, described: [.post: proof.description],
            [(.post, { [self] in answer($0, $1, provenBy: proof) })])
    }

    /// Rejects a request before its body is received; nil to receive it.
    private func refusal(of request: borrowing Request, _ proof: WebhookIntake.Proof) -> Response? {
        let webhooks = state.current.webhooks
        do throws(WebhookIntake.Refusal) {
            _ = try WebhookIntake(apps: webhooks).candidates(request, provenBy: proof)
            return nil
        } catch {
            let span = request.callersTrace().flatMap { services.tracer.begin(below: $0) }
            return refuse(error, request: request, webhooks: webhooks, context: RequestContext(id: request.requestID, span))
        }
    }

    private func answer(
        _ request: borrowing Request, _ responder: consuming Responder, provenBy proof: WebhookIntake.Proof
    ) -> Answered {
        let context = RequestContext(id: request.requestID, services.tracer.beginLasting(request.callersTrace()))
        let path = proof == .path ? Self.secretPath : Self.path
        switch decide(request, proof: proof, context: context) {
        case .answer(let response):
            services.tracer.endRequest(context.span, route: path, response: response)
            return responder.respond(response)
        case .store(let incoming, let audience):
            return responder.respondLater(timeoutMilliseconds: Self.timeoutMilliseconds) { pending in
                accept(incoming, audience: audience, path: path, context: context, pending: PendingBox(pending))
            }
        }
    }

    private func decide(_ request: borrowing Request, proof: WebhookIntake.Proof, context: RequestContext) -> Decision {
        let state = state.current
        do throws(WebhookIntake.Refusal) {
            let proven = try WebhookIntake(apps: state.webhooks).comment(request, provenBy: proof)
            journal.leaveOut(proven.leftOut, app: proven.app.id, context)
            guard let comment = try storableComment(proven) else {
                return .answer(journal.ignore(proven.app.counters, app: proven.app.id, context))
            }
            let now = services.clocks.unixMilliseconds()
            let subscriptions = state.shared.subscriptions
            return .store(
                try IncomingWebhook(
                    comment, proven,
                    to: comment.userID.isEmpty ? subscriptions.quietComments(proven.app.id) : subscriptions.comments(proven.app.id),
                    receivedAt: now,
                    lifetimeMilliseconds: subscriptions.registry.lifetimeMilliseconds, random: services.random, trace: context.trace),
                telling: subscriptions.registry.caused(by: context.trace))
        } catch {
            return .answer(refuse(error, request: request, webhooks: state.webhooks, context: context))
        }
    }

    /// The comment of a webhook; nil when there is none, or when it is about a person who was forgotten.
    private func storableComment(_ proven: WebhookIntake.Proven) throws(WebhookIntake.Refusal) -> Comment? {
        guard let comment = proven.comment else { return nil }
        do throws(CryptoError) {
            let isForgotten = try services.revocations.current.isForgotten(appID: comment.appID.utf8.span, userID: comment.userID.utf8.span)
            return isForgotten ? nil : comment
        } catch {
            throw .failed(error)
        }
    }

    private func refuse(
        _ refusal: WebhookIntake.Refusal, request: borrowing Request, webhooks: WebhookApps, context: RequestContext
    ) -> Response {
        let (counters, app) = (refusal.app?.counters ?? webhooks.unknown, refusal.app?.id)
        if let cause = refusal.cause {
            journal.refuse(cause, counters: counters, reason: refusal.reason, app: app, request: request, context: context)
        } else {
            journal.note(.unavailable, counters: counters, level: .error, reason: refusal.reason, app: app, context: context)
        }
        return response(to: refusal)
    }

    private func accept(
        _ incoming: IncomingWebhook, audience: RegistryAudience, path: StaticString, context: RequestContext, pending: PendingBox
    ) {
        services.store.accept(incoming.incoming, telling: audience, isAwaited: { pending.isAwaited }) { [self] result in
            let response = recordOutcome(result, app: incoming.app, event: incoming.incoming.event, context: context)
            services.tracer.endRequest(context.span, route: path, response: response, app: incoming.app.id)
            pending.respond(response)
        }
    }

    /// Counts and logs the store's decision, wakes the dispatcher when there is something to deliver, and returns the response. Runs on the
    /// store's thread.
    private func recordOutcome(
        _ result: Result<Acceptance, StoreError>, app: WebhookApps.App, event: Event, context: RequestContext
    ) -> Response {
        switch result {
        case .success(.accepted):
            let result: WebhookResult = event.userID.isEmpty ? .anonymous : .accepted
            journal.store(result, counters: app.counters, app: app.id, event: event.id, context: context)
            services.onChange()
            return journal.answers.accepted
        case .success(.duplicate(let earlier)):
            journal.store(.duplicate, counters: app.counters, app: app.id, event: earlier, context: context)
            return journal.answers.duplicate
        case .success(.ignored): return journal.ignore(app.counters, app: app.id, context)
        case .failure(let error):
            // The queue was full for the comment, but its token may have been stored, and that may be an event of the registry.
            if error.kind == .queueFull { services.onChange() }
            return journal.fail(error, counters: app.counters, app: app.id, context: context)
        }
    }

    private func response(to refusal: WebhookIntake.Refusal) -> Response {
        switch refusal {
        case .denied: journal.answers.denied
        case .malformed(let error, _), .anonymous(let error, _): .error(400, code: "malformed", message: error.message)
        case .failed: journal.answers.refusals.unavailable
        }
    }
}
