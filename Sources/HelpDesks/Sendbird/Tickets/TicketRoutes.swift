internal import Configuration
internal import Core
internal import Crypto
internal import HTTPServer
internal import HelpDesk
internal import JSON
internal import Observability
internal import Threading
internal import Time

/// `POST /sendbird/tickets/…`: a customer's calls about their own tickets, with the security key, so that the app needs no token of
/// Sendbird Desk.
final class TicketRoutes: Sendable {
    /// The longest call sends seven requests to Sendbird, each with a timeout of five seconds by default.
    private static let timeoutMilliseconds: UInt64 = TimeLimit.milliseconds(37_000)
    private static let bodyLimit = 32 * 1024
    /// The maximum number of calls that run at the same time and that wait: in all, of an app, and of a user.
    private static let shares = (all: ShareBound(32, waiting: 256), app: ShareBound(8, waiting: 64), person: ShareBound(2, waiting: 8))

    private let app: @Sendable (_ appID: String) -> SendbirdState.App?
    private let services: HelpDeskServices
    private let queue: WorkQueue
    private let limits = TicketLimits()
    private let isStopping = Monitor(false)

    /// - Parameter app: returns nil for an app that does not offer tickets to its customers.
    init(_ services: HelpDeskServices, app: @escaping @Sendable (_ appID: String) -> SendbirdState.App?) {
        self.services = services
        self.app = app
        queue = WorkQueue(Self.shares.all, Self.shares.app, Self.shares.person)
    }

    var routes: [Route] {
        [
            route("/sendbird/tickets/list", description: TicketRoutes.list, read: TicketRequest.list),
            route("/sendbird/tickets/show", description: TicketRoutes.show, read: TicketRequest.show),
            route("/sendbird/tickets/count", description: TicketRoutes.count) { _ in .count },
            route("/sendbird/tickets/create", description: TicketRoutes.create, read: TicketRequest.create),
            route("/sendbird/tickets/close", description: TicketRoutes.close, read: TicketRequest.close),
            route("/sendbird/tickets/reopen", description: TicketRoutes.reopen, read: TicketRequest.reopen),
            route("/sendbird/tickets/related-channels", description: TicketRoutes.relate, read: TicketRequest.relate),
            route("/sendbird/tickets/fields", description: TicketRoutes.ticketFields, read: TicketRequest.ticketFields),
            route("/sendbird/tickets/customer-fields", description: TicketRoutes.customerFields, read: TicketRequest.customerFields),
            route("/sendbird/tickets/confirm", description: TicketRoutes.confirm, read: TicketRequest.confirm),
            route("/sendbird/tickets/rate", description: TicketRoutes.rate, read: TicketRequest.rate),
        ]
    }

    static func expect(_ metrics: HelpDeskMetrics, app: String) {
        for result in results { _ = metrics.ticketRequests.child(app, result) }
    }

    private static let results = [
        "done", "malformed", "denied", "off", "limited", "not_found", "conflict", "throttled", "refused", "unavailable",
    ]

    /// Ends the threads. Call it once, when no more requests can arrive.
    func stop() {
        isStopping.update { $0 = true }
        queue.stop()
    }

    private func route(
        _ path: StaticString, description: RouteDescription,
        read: @escaping @Sendable (JSONObject) throws(BodyError) -> TicketRequest
    ) -> Route {
        AuthenticatedRoute(
            path, of: .sendbird, bodyLimit: Self.bodyLimit, timeoutMilliseconds: Self.timeoutMilliseconds, description: description,
            services, reading: .object(read),
            count: { [family = services.metrics.ticketRequests] result, app, _ in family.child(app ?? "", result).increment() },
            perform: { [self] caller, payload in step(caller, payload) }
        ).route
    }

    private func step(_ caller: AuthenticatedCaller, _ payload: TicketRequest) -> AuthenticatedResponse {
        guard let app = app(caller.appID) else {
            return .answer(
                AuthenticatedAnswer(
                    .error(404, code: "off", message: "This app serves its customers no tickets."), result: "off", reason: "off"))
        }
        let now = services.clocks.unixMilliseconds()
        let isCreation = if case .create = payload { true } else { false }
        if let refusal = limits.take(caller.person, isCreation: isCreation, now: now) { return .answer(.limited(refusal, now: now)) }
        let deadline = services.clocks.monotonicMilliseconds() + Self.timeoutMilliseconds
        return .later { [self] complete in
            let fail: @Sendable (TicketFailure) -> Void = { [limits] failure in
                if isCreation, !failure.mayHaveChanged { limits.giveBackCreation(caller.person, at: now) }
                complete(Self.failed(failure, isOfChange: payload.isChange))
            }
            let isQueued = queue.submit(for: caller.person.share) { [self] in
                // Meanwhile the customer has received the response that nothing was done.
                guard !isStopping.withLock({ $0 }), services.clocks.monotonicMilliseconds() < deadline else { return fail(.overloaded) }
                if let refusal = refusal(of: caller) { return complete(refusal) }
                do throws(TicketFailure) {
                    complete(try Self.answer(to: payload, of: caller.userID, app))
                } catch {
                    fail(error)
                }
            }
            if !isQueued { fail(.overloaded) }
        }
    }

    /// Rejects a customer who was signed out or blocked, or whose key was revoked, while the call waited; nil when the call may proceed.
    private func refusal(of caller: AuthenticatedCaller) -> AuthenticatedAnswer? {
        do throws(CryptoError) {
            guard try caller.isRevoked(services.revocations.current) else { return nil }
            return AuthenticatedAnswer(AuthorizeRefusals().denied, result: "denied", reason: Denial.revoked.rawValue)
        } catch {
            let reason = UndecidedReason.internalError.rawValue
            return AuthenticatedAnswer(AuthorizeRefusals().undecided, result: "unavailable", reason: reason, level: .error)
        }
    }

    /// Calls Sendbird, and blocks.
    private static func answer(to payload: TicketRequest, of userID: String, _ app: SendbirdState.App) throws(TicketFailure)
        -> AuthenticatedAnswer
    {
        let tickets = DeskTickets(app.desk)
        switch payload {
        case .list(let selection, let fields, let after):
            let page = try tickets.list(TicketQuery(selection, userID: userID, fields: fields, after: after))
            return shown([
                "tickets": .array(page.tickets.map { .object($0.customerJSON) }), "next": page.next.map { .string($0.text) } ?? .null,
            ])
        case .show(let place):
            let ticket = try tickets.ticket(place)
            guard ticket.belongs(to: userID) else { throw .notFound }
            return shown(ticket, to: userID, tickets)
        case .count:
            let counts = try tickets.count(of: userID)
            return shown(["open": .integer(counts.open), "closed": .integer(counts[.closed] ?? 0)])
        case .create(var draft):
            draft.userID = userID
            let new = try tickets.create(draft)
            let dropped = new.ticket.fields.missing(of: draft.fields)
            return shown(
                [
                    // Chat was queried about the wanted channels before.
                    "ticket": .object(new.ticket.customerJSON(related: new.ticket.relatedChannels.at(draft.relatedChannels))),
                    "message": new.message.word.map { .string($0.rawValue) } ?? .null,
                    "dropped": .array(dropped.map { .string($0) }),
                ], status: 201, lacking: new.message.failure)
        case .close(let id, let comment): return shown(try tickets.close(id, comment: comment, owner: userID), to: userID, tickets)
        case .reopen(let id): return shown(try tickets.reopen(id, owner: userID), to: userID, tickets)
        case .relate(let id, let channels):
            let ticket = try tickets.relate(id, to: channels, owner: userID)
            return shown(.object(ticket.customerJSON(related: ticket.relatedChannels.at(channels))))
        case .setFields(let fields, let id):
            let (keys, list) =
                id == nil
                ? (app.settings.customerFields, "sendbird.customer_fields") : (app.settings.ticketFields, "sendbird.ticket_fields")
            guard fields.having(keys: keys).count == fields.count else { throw .fieldNotAllowed(listedBy: list) }
            let all: [TicketField]
            if let id {
                all = try tickets.setFields(fields, ofTicket: id, owner: userID)
            } else {
                all = try tickets.setOwnFields(fields, of: userID)
            }
            return shown([
                // Support and the company may store text in other fields that the customer must not read.
                "custom_fields": all.having(keys: keys).json, "dropped": .array(all.missing(of: fields).map { .string($0) }),
            ])
        case .answer(let answer, let messageID, let id):
            return shown(try tickets.answer(answer, messageID: messageID, ticket: id, owner: userID), to: userID, tickets)
        }
    }

    /// Responds with one ticket. While Chat cannot be queried, the related channels are null: all other members are known, and the change
    /// was made.
    private static func shown(_ ticket: Ticket, to userID: String, _ tickets: DeskTickets) -> AuthenticatedAnswer {
        do throws(TicketFailure) {
            return shown(.object(ticket.customerJSON(related: try tickets.relatedChannels(of: ticket, joinedBy: userID))))
        } catch {
            return shown(.object(ticket.customerJSON(related: nil)), lacking: error)
        }
    }

    /// - Parameter failure: the reason why a part was not done, for the log; nil when nothing failed.
    private static func shown(_ json: JSONValue, status: Int = 200, lacking failure: TicketFailure? = nil) -> AuthenticatedAnswer {
        AuthenticatedAnswer(
            Response(status: status, json: json, headers: [("Cache-Control", "no-store")]), result: "done", reason: failure?.reason,
            level: .warning)
    }

    private static func failed(_ failure: TicketFailure, isOfChange: Bool) -> AuthenticatedAnswer {
        let retry = failure.retryAfterSeconds.map { [(name: "Retry-After", value: "\($0)")] } ?? []
        let response = Response.error(failure.status, code: failure.code, message: failure.message(isOfChange: isOfChange), headers: retry)
        return AuthenticatedAnswer(
            response, result: result(of: failure), reason: failure.reason, level: failure.status == 503 ? .warning : .info)
    }

    private static func result(of failure: TicketFailure) -> String {
        switch failure.status {
        case 404: "not_found"
        case 409: "conflict"
        case 429: "throttled"
        case 503: "unavailable"
        default: "refused"
        }
    }
}
