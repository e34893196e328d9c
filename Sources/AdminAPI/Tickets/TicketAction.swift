package import Core
internal import HTTPServer
internal import JSON

/// Actions of a backend or an operator on an app's tickets, which are stored at the help desk. Only the running service calls the help
/// desk.
package struct TicketAction: AdminAction, Equatable {
    enum Kind: Equatable {
        case create(TicketDraft)
        case show(TicketLocator)
        case list(TicketQuery)
        case count(userID: String?)
        case close(Int64, comment: String?)
        case reopen(Int64)
        case prioritize(Int64, TicketPriority)
        case relate(Int64, to: [String])
        case setFields(ofTicket: Int64, [TicketField])
        case setCustomerFields(of: String, [TicketField])
    }

    let appID: String
    let kind: Kind

    package var remoteAppID: String? { appID }

    package var change: String? {
        switch kind {
        case .show, .list, .count: nil
        case .create: "tickets.create"
        case .close: "tickets.close"
        case .reopen: "tickets.reopen"
        case .prioritize: "tickets.priority"
        case .relate: "tickets.related_channels"
        case .setFields: "tickets.fields"
        case .setCustomerFields: "tickets.customer_fields"
        }
    }

    package func perform(in context: AdminContext) throws(StoreError) -> AdminAnswer {
        guard context.state.authorizer.index(of: appID.utf8.span) != nil else { return .unknownApp(appID, context.state.names.apps) }
        guard let desk = context.tickets(appID) else {
            return .error(
                400, code: "no_tickets", message: "app_id: only apps of Sendbird Desk have tickets; this app has another help desk.")
        }
        do throws(TicketFailure) {
            return try perform(on: desk, context)
        } catch {
            return AdminAnswer(
                status: error.status, .error(error.code, error.message(isOfChange: change != nil)), outcome: error.code,
                about: about(context), retryAfterSeconds: error.retryAfterSeconds)
        }
    }

    private func perform(on desk: any TicketDesk, _ context: AdminContext) throws(TicketFailure) -> AdminAnswer {
        switch kind {
        case .create(let draft): return created(try desk.create(draft), draft: draft, context: context)
        case .show(let place): return answer(try desk.ticket(place), context)
        case .list(let question):
            let page = try desk.list(question)
            return AdminAnswer([
                "tickets": .array(page.tickets.map { .object($0.json) }), "next": page.next.map { .string($0.text) } ?? .null,
            ])
        case .count(let userID): return counted(try desk.count(of: userID))
        case .close(let id, let comment): return answer(try desk.close(id, comment: comment, owner: nil), context)
        case .reopen(let id): return answer(try desk.reopen(id, owner: nil), context)
        case .prioritize(let id, let priority): return answer(try desk.prioritize(id, priority), context)
        case .relate(let id, let channels): return answer(try desk.relate(id, to: channels, owner: nil), context)
        case .setFields(let id, let fields): return answer(try desk.setFields(fields, ofTicket: id, owner: nil), wanted: fields, context)
        case .setCustomerFields(let userID, let fields):
            return answer(try desk.setFields(fields, ofCustomer: userID), wanted: fields, context)
        }
    }

    private func answer(_ ticket: Ticket, _ context: AdminContext) -> AdminAnswer {
        AdminAnswer(.object(ticket.json), about: about(context))
    }

    private func answer(_ fields: [TicketField], wanted: [TicketField], _ context: AdminContext) -> AdminAnswer {
        AdminAnswer(
            ["custom_fields": fields.json, "dropped": Self.list(fields.missing(of: wanted))], about: about(context))
    }

    private func created(_ new: NewTicket, draft: TicketDraft, context: AdminContext) -> AdminAnswer {
        AdminAnswer(
            status: 201,
            [
                "ticket": .object(new.ticket.json), "message": new.message.word.map { .string($0.rawValue) } ?? .null,
                "dropped": Self.list(new.ticket.fields.missing(of: draft.fields)),
            ],
            about: about(context) + [AuditField(name: "ticket_id", text: "\(new.ticket.id)")]
                + (new.message.failure.map { [AuditField(name: "first_message", text: $0.reason)] } ?? []))
    }

    private func counted(_ counts: [TicketState: Int64]) -> AdminAnswer {
        AdminAnswer(["open": .integer(counts.open), "states": counts.json])
    }

    private static func list(_ keys: [String]) -> JSONValue { .array(keys.map { .string($0) }) }

    /// The audit fields: the app, and the ticket or the person.
    private func about(_ context: AdminContext) -> [AuditField] {
        let app = AuditField(name: "app", text: appID)
        switch kind {
        case .close(let id, _), .reopen(let id), .prioritize(let id, _), .relate(let id, _), .setFields(let id, _):
            return [app, AuditField(name: "ticket_id", text: "\(id)")]
        case .create(let draft): return [app] + person(draft.userID, context)
        case .setCustomerFields(let userID, _): return [app] + person(userID, context)
        case .show, .list, .count: return [app]
        }
    }

    private func person(_ userID: String, _ context: AdminContext) -> [AuditField] {
        context.userReference(appID, userID).map { [AuditField(name: "user_ref", text: $0)] } ?? []
    }
}
