internal import Core
internal import HTTPClient
internal import HTTPServer
internal import JSON

/// The mapping between actions on tickets and requests to the admin listener, in both directions.
extension TicketAction {
    private static let path: StaticString = "/v1/tickets"
    private static let app = AdminRoute.Parameter("app_id", place: .body, kind: PersonFields.appGrammar, isRequired: true, text: "The app.")
    private static let user = AdminRoute.Parameter("user_id", place: .body, kind: PersonFields.userGrammar, text: "The customer.")
    private static let ticket = AdminRoute.Parameter(
        "ticket_id", place: .body, kind: .number(1...Int64.max), isRequired: true, text: "The help desk's number of the ticket.")
    private static let priority = AdminRoute.Parameter(
        "priority", place: .body, kind: .choice(TicketPriority.allCases.map(\.rawValue)), text: "The priority of the ticket.")
    private static let fields = AdminRoute.Parameter(
        "custom_fields", place: .body, kind: .fields, text: "Fields that are registered at the help desk.")

    private static let creation = [
        app, AdminRoute.Parameter("user_id", place: .body, kind: PersonFields.userGrammar, isRequired: true, text: "The customer."),
        AdminRoute.Parameter(
            "user_name", place: .body, kind: .line(1...TicketDraft.longestUserName),
            text: "The customer's name, as support sees it; without it, the help desk keeps the one that it has."),
        AdminRoute.Parameter(
            "title", place: .body, kind: .line(1...TicketDraft.longestTitle), isRequired: true, text: "The title of the ticket."),
        AdminRoute.Parameter(
            "group_key", place: .body, kind: .matching("^[a-z0-9_-]+$"), text: "The support group to which the ticket is assigned."),
        priority, fields,
        AdminRoute.Parameter(
            "related_channels", place: .body, kind: .lines(0...TicketDraft.maximumRelatedChannels),
            text: "The channels that it is about; the customer must have joined them."),
        AdminRoute.Parameter(
            "message", place: .body, text: "The customer's first message; support does not see the ticket before the first message."),
    ]
    private static let place = [
        app.placed(.query),
        AdminRoute.Parameter("ticket_id", place: .query, kind: .number(1...Int64.max), text: "The help desk's number of the ticket."),
        AdminRoute.Parameter("channel", place: .query, text: "The address of its conversation's channel."),
    ]
    private static let criteria = [
        app.placed(.query),
        AdminRoute.Parameter(
            "state", place: .query, kind: .choice(TicketQuery.Selection.allCases.map(\.rawValue)),
            text: "The state of the listed tickets; open by default."),
        user.placed(.query), AdminRoute.Parameter("custom_field", place: .query, text: "A field that the tickets must have, as KEY=VALUE."),
        AdminQuery.page[0],
        AdminRoute.Parameter(
            "limit", place: .query, kind: .number(1...Int64(TicketQuery.longestPage)), text: "The maximum number of tickets; 10 by default."
        ),
    ]
    private static let closing = [
        app, ticket, AdminRoute.Parameter("comment", place: .body, text: "The reason, for support."),
    ]
    private static let relating = [
        app, ticket,
        AdminRoute.Parameter(
            "related_channels", place: .body, kind: .lines(0...TicketDraft.maximumRelatedChannels), isRequired: true,
            text: "The channels that it is about, all of which its customer must have joined; an empty list clears them."),
    ]
    private static let setting = [
        app, AdminRoute.Parameter("ticket_id", place: .body, kind: .number(1...Int64.max), text: "The ticket."),
        AdminRoute.Parameter("user_id", place: .body, kind: PersonFields.userGrammar, text: "The customer, in place of a ticket."),
        AdminRoute.Parameter(
            "custom_fields", place: .body, kind: .fields, isRequired: true, text: "The fields; an empty text clears a field."),
    ]

    /// Statuses with which the help desk may reject requests on any route.
    private static let refusals = [429, 503]
    private static let one = AdminRoute.Answer(
        Ticket.members, AdminSchema.ticket, text: "The ticket as the help desk has it now.", refusals: refusals + [404])
    private static let changed = AdminRoute.Answer(
        Ticket.members, AdminSchema.ticket, text: "The ticket as the help desk has it now.", refusals: refusals + [404, 409])

    static let routes = [
        AdminRoute(
            .get, path: path, role: .read,
            summary: "The tickets of an app that are open, or those that are closed, the last changed first.", parameters: criteria,
            answer: AdminRoute.Answer(
                ["tickets", "next"], ["tickets": AdminSchema.tickets],
                text: "The tickets, and the position of the next page; null at the end.", refusals: refusals,
                links: .ticket("/tickets/0/ticket_id", app: "$request.query.app_id")),
            handling: .fromStore { request throws(AdminProblem) in try listing(AdminQuery(request.queryItems())) }),
        AdminRoute(
            .get, path: "/v1/tickets/count", role: .read, summary: "The number of tickets of an app or a customer, by state.",
            parameters: [app.placed(.query), user.placed(.query)],
            answer: AdminRoute.Answer(
                ["open", "states"], ["open": AdminSchema.count, "states": AdminSchema.anyObject],
                text: "The number of open tickets, and the number of tickets in each state.", refusals: refusals),
            handling: .fromStore { request throws(AdminProblem) in
                let values = try AdminQuery(request.queryItems()).values(of: [app.placed(.query), user.placed(.query)])
                return try counting(appID: values["app_id"], userID: values["user_id"])
            }),
        AdminRoute(
            .get, path: "/v1/tickets/show", role: .read, summary: "One ticket, by its number or its channel.", parameters: place,
            answer: one,
            handling: .fromStore { request throws(AdminProblem) in
                let values = try AdminQuery(request.queryItems()).values(of: place)
                return try showing(appID: values["app_id"], ticketID: try number(values["ticket_id"]), channel: values["channel"])
            }),
        AdminRoute(
            .post, path: path, role: .operate, summary: "Makes a ticket, and its customer if the help desk does not know the person yet.",
            parameters: creation,
            answer: AdminRoute.Answer(
                ["ticket", "message", "dropped"],
                [
                    "ticket": AdminSchema.object(Ticket.members, AdminSchema.ticket),
                    "message": Schema.nullable(Schema.choice(of: NewTicket.Message.Word.self)), "dropped": Schema.array(Schema.text),
                ], status: 201,
                text: "The ticket, the result of the first message, and the keys of fields that the help desk has dropped.",
                refusals: refusals + [404], links: .ticket("/ticket/ticket_id", app: "$request.body#/app_id")),
            handling: .fromStore { request throws(AdminProblem) in
                try .some(request.withBody { body throws(AdminProblem) in try creating(AdminFields(body, creation)) })
            }),
        changing("/v1/tickets/close", summary: "Closes a ticket that is active or idle.", parameters: closing) {
            fields throws(AdminProblem) in
            try TicketAction.closing(appID: fields.text("app_id"), ticketID: fields.number("ticket_id"), comment: fields.text("comment"))
        },
        changing(
            "/v1/tickets/reopen", summary: "Reopens a closed ticket, if the help desk allows this.", parameters: [app, ticket]
        ) {
            fields throws(AdminProblem) in
            try reopening(appID: fields.text("app_id"), ticketID: fields.number("ticket_id"))
        },
        changing("/v1/tickets/priority", summary: "Changes how urgent a ticket is.", parameters: [app, ticket, priority]) {
            fields throws(AdminProblem) in
            try prioritizing(appID: fields.text("app_id"), ticketID: fields.number("ticket_id"), priority: fields.text("priority"))
        },
        changing("/v1/tickets/related-channels", summary: "Sets the related channels of a ticket.", parameters: relating) {
            fields throws(AdminProblem) in
            try TicketAction.relating(
                appID: fields.text("app_id"), ticketID: fields.number("ticket_id"), channels: fields.texts("related_channels"))
        },
        AdminRoute(
            .post, path: "/v1/tickets/fields", role: .operate,
            summary: "Sets fields of a ticket or of a customer. Other fields are unchanged.",
            parameters: setting,
            answer: AdminRoute.Answer(
                ["custom_fields", "dropped"], ["custom_fields": AdminSchema.anyObject, "dropped": Schema.array(Schema.text)],
                text: "All fields as the help desk has them now, and the unregistered keys that it has dropped.",
                refusals: refusals + [404]),
            handling: .fromStore { request throws(AdminProblem) in
                try .some(
                    request.withBody { body throws(AdminProblem) in
                        let fields = try AdminFields(body, setting)
                        return try settingFields(
                            appID: fields.text("app_id"), ticketID: fields.number("ticket_id"), userID: fields.text("user_id"),
                            fields.fields("custom_fields") ?? [])
                    })
            }),
    ]

    private static func changing(
        _ path: StaticString, summary: String, parameters: [AdminRoute.Parameter],
        read: @escaping @Sendable (AdminFields) throws(AdminProblem) -> TicketAction
    ) -> AdminRoute {
        AdminRoute(
            .post, path: path, role: .operate, summary: summary, parameters: parameters, answer: changed,
            handling: .fromStore { request throws(AdminProblem) in
                try .some(request.withBody { body throws(AdminProblem) in try read(AdminFields(body, parameters)) })
            })
    }

    private static func listing(_ query: AdminQuery) throws(AdminProblem) -> TicketAction {
        let values = try query.values(of: criteria)
        let limit = try values["limit"].map { text throws(AdminProblem) in try AdminQuery.limit(text) }
        return try listing(
            appID: values["app_id"], state: values["state"], userID: values["user_id"], field: values["custom_field"],
            after: values["after"], limit: limit)
    }

    private static func creating(_ fields: AdminFields) throws(AdminProblem) -> TicketAction {
        try creating(
            appID: fields.text("app_id"), userID: fields.text("user_id"), userName: fields.text("user_name"), title: fields.text("title"),
            groupKey: fields.text("group_key"), priority: fields.text("priority"), fields: fields.fields("custom_fields") ?? [],
            relatedChannels: fields.texts("related_channels") ?? [], message: fields.text("message"))
    }

    private static func number(_ text: String?) throws(AdminProblem) -> Int64? {
        guard let text else { return nil }
        guard let number = Int64(text), "\(number)" == text else { throw AdminProblem("ticket_id", "expected a number.") }
        return number
    }
}

extension TicketAction {
    package var request: AdminRequest {
        switch kind {
        case .show(.id(let id)): return get("show", [("ticket_id", "\(id)")])
        case .show(.channel(let channel)): return get("show", [("channel", channel)])
        case .count(let userID): return get("count", userID.map { [("user_id", $0)] } ?? [])
        case .list(let question):
            let optional = [("user_id", question.userID), ("custom_field", question.fields.first.map { "\($0.key)=\($0.value)" })]
            return get(
                nil,
                [("state", question.selection.rawValue), ("after", question.after.text), ("limit", "\(question.limit)")]
                    + optional.compactMap { name, text in text.map { (name, $0) } })
        case .create(let draft): return post(nil, draft.members)
        case .close(let id, let comment):
            return post("close", [("ticket_id", .integer(id))] + (comment.map { [("comment", .string($0))] } ?? []))
        case .reopen(let id): return post("reopen", [("ticket_id", .integer(id))])
        case .prioritize(let id, let priority):
            return post("priority", [("ticket_id", .integer(id)), ("priority", .string(priority.rawValue))])
        case .relate(let id, let channels):
            return post("related-channels", [("ticket_id", .integer(id)), ("related_channels", .array(channels.map { .string($0) }))])
        case .setFields(let id, let fields): return post("fields", [("ticket_id", .integer(id)), ("custom_fields", fields.json)])
        case .setCustomerFields(let userID, let fields):
            return post("fields", [("user_id", .string(userID)), ("custom_fields", fields.json)])
        }
    }

    private func get(_ name: String?, _ query: [(name: String, text: String)]) -> AdminRequest {
        AdminRequest(.get, Self.address(name), query: [("app_id", appID)] + query)
    }

    private func post(_ name: String?, _ members: [(String, JSONValue)]) -> AdminRequest {
        AdminRequest(
            .post, Self.address(name), body: JSONValue.object(JSONObject([("app_id", .string(appID))] + members)).serialized())
    }

    private static func address(_ name: String?) -> String { "\(path)" + (name.map { "/\($0)" } ?? "") }
}

extension TicketDraft {
    fileprivate var members: [(String, JSONValue)] {
        let optional = [("user_name", userName), ("group_key", groupKey), ("priority", priority?.rawValue), ("message", message)]
        var members: [(String, JSONValue)] = [("user_id", .string(userID)), ("title", .string(title))]
        members += optional.compactMap { name, text in text.map { (name, .string($0)) } }
        if !fields.isEmpty { members.append(("custom_fields", fields.json)) }
        if !relatedChannels.isEmpty { members.append(("related_channels", .array(relatedChannels.map { .string($0) }))) }
        return members
    }
}
