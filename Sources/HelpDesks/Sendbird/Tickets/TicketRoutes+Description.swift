internal import Core
internal import HTTPServer
internal import HelpDesk
internal import JSON

extension TicketRoutes {
    private static let text = "Only the person's own tickets: another's look as if they were not there. The body is JSON."
    private static let number: JSONValue = ["anyOf": [Schema.integer(1...Int64.max), ["type": "string", "pattern": "^[1-9][0-9]*$"]]]
    private static let ticketID = ("ticket_id", CallDescription.described(number, "The help desk's number of the ticket."))
    private static let messageID = ("message_id", CallDescription.described(number, "The number of the message with support's question."))

    private static let maybeText = Schema.nullable(Schema.text)
    private static let fields = Schema.nullable(["type": "object", "additionalProperties": Schema.text])
    private static let maybeTime = Schema.nullable(Schema.time)
    private static let members: [(String, JSONValue)] = [
        ("ticket_id", Schema.integer), ("channel", maybeText), ("title", maybeText),
        ("state", Schema.nullable(Schema.choice(of: TicketState.self))), ("agent", maybeText),
        ("rating", Schema.nullable(Schema.object([("score", Schema.integer(1...5)), ("comment", maybeText)]))),
        ("created_at", maybeTime), ("updated_at", maybeTime),
    ]
    private static let listed = Schema.object(members)
    private static let related = CallDescription.described(
        Schema.nullable(Schema.array(Schema.object([("channel", Schema.text), ("name", maybeText)]))),
        "The related channels that the person has joined; null while Chat cannot be asked.")
    private static let ticket = Schema.object(members + [("related_channels", related)])

    static let list = described(
        "Lists the person's open or closed tickets, the last changed first, ten on a page.",
        members: [
            ("state", Schema.nullable(Schema.choice(of: TicketQuery.Selection.self))),
            ("custom_fields", CallDescription.described(fields, "The tickets must have all of these fields.")), ("after", maybeText),
        ], required: [],
        success: RouteDescription.Answer(
            200, text: "The tickets, and the position of the next page; null at the end.",
            schema: Schema.object([("tickets", Schema.array(listed)), ("next", maybeText)])))

    static let show = described(
        "Shows one ticket, by its number or its channel.",
        members: [ticketID, ("channel", Schema.nullable(Schema.line(1...TicketDraft.longestChannel)))], required: [], success: one,
        others: [notFound])

    static let count = described(
        "Counts the person's tickets.", members: [], required: [],
        success: RouteDescription.Answer(
            200, text: "The numbers of open and closed tickets.",
            schema: Schema.object([("open", Schema.integer(0...Int64.max)), ("closed", Schema.integer(0...Int64.max))])))

    static let create = described(
        "Makes a ticket.",
        members: [
            (
                "user_name",
                CallDescription.described(
                    Schema.nullable(Schema.line(1...TicketDraft.longestUserName)),
                    "The person's name, as support sees it; without it, the help desk keeps the one that it has.")
            ), ("title", Schema.line(1...TicketDraft.longestTitle)), ("group_key", maybeText),
            ("priority", Schema.nullable(Schema.choice(of: TicketPriority.self))),
            ("custom_fields", fields),
            (
                "related_channels",
                CallDescription.described(
                    Schema.nullable(Schema.array(Schema.text)),
                    "Channels that the person has joined; any other channel is answered 400 `foreign_channel`."
                )
            ), ("message", maybeText),
        ], required: ["title"],
        success: RouteDescription.Answer(
            201, text: "The ticket, the result of the first message, and the keys of fields that the help desk has dropped.",
            schema: Schema.object([
                ("ticket", ticket), ("message", Schema.nullable(Schema.choice(of: NewTicket.Message.Word.self))),
                ("dropped", Schema.array(Schema.text)),
            ])), others: [stranger])

    static let close = described(
        "Closes a ticket that is active or idle.",
        members: [
            ticketID,
            (
                "comment",
                CallDescription.described(Schema.nullable(Schema.line(0...Ticket.longestCloseComment)), "The reason, for support.")
            ),
        ], required: ["ticket_id"], success: one, others: [notFound, conflict])

    static let reopen = described(
        "Reopens a closed ticket, where Sendbird lets others do that.", members: [ticketID], required: ["ticket_id"], success: one,
        others: [notFound, conflict])

    static let relate = described(
        "Sets the person's channels that are related to a ticket.",
        members: [
            ticketID,
            (
                "related_channels",
                CallDescription.described(
                    ["type": "array", "items": Schema.text, "maxItems": .integer(Int64(TicketDraft.maximumRelatedChannels))],
                    "Channels that the person has joined; any other channel is answered 400 `foreign_channel`. An empty list clears them.")
            ),
        ], required: ["ticket_id", "related_channels"], success: one, others: [notFound])

    private static let settable = (
        "custom_fields",
        CallDescription.described(
            [
                "type": "object", "additionalProperties": Schema.text, "minProperties": 1,
                "maxProperties": .integer(Int64(TicketField.maximumFields)),
            ],
            "The fields; an empty string clears one. A key that the app's configuration does not list is answered 400 `field_not_allowed`, and "
                + "nothing is set."
        )
    )
    private static let set = RouteDescription.Answer(
        200, text: "The fields that customers may set, as the help desk has them now, and the keys that it has dropped.",
        schema: Schema.object([
            ("custom_fields", ["type": "object", "additionalProperties": Schema.text]), ("dropped", Schema.array(Schema.text)),
        ]))

    static let ticketFields = described(
        "Sets fields of a ticket; the other fields do not change.", members: [ticketID, settable],
        required: ["ticket_id", "custom_fields"], success: set,
        others: [notFound])

    static let customerFields = described(
        "Sets the person's own fields; the other fields do not change.", members: [settable], required: ["custom_fields"], success: set,
        others: [stranger])

    static let confirm = described(
        "Answers support's question whether the ticket may be closed.",
        members: [ticketID, messageID, ("confirmed", ["type": "boolean"])], required: ["ticket_id", "message_id", "confirmed"],
        success: one,
        others: [notFound, conflict])

    static let rate = described(
        "Answers support's request for a rating.",
        members: [ticketID, messageID, ("score", Schema.integer(1...5)), ("comment", maybeText)],
        required: ["ticket_id", "message_id", "score"], success: one, others: [notFound, conflict])

    private static var one: RouteDescription.Answer { RouteDescription.Answer(200, text: "The present ticket.", schema: ticket) }
    private static let notFound = RouteDescription.Answer(
        404, text: "The person has no such ticket (`not_found`), or the app serves no tickets (`off`).")
    private static let stranger = RouteDescription.Answer(
        404, text: "The help desk does not take the person as a customer (`unknown_user`), or the app serves no tickets (`off`).")
    private static let conflict = RouteDescription.Answer(
        409,
        text:
            "The ticket is in another state (`not_closable`, `not_closed`), the message asks nothing or is not from support (`not_asked`), or "
            + "the help desk does not offer it (`unsupported`).")
    private static let off = RouteDescription.Answer(404, text: "The app serves no tickets (`off`).")

    private static func described(
        _ summary: String, members: [(String, JSONValue)], required: [String], success: RouteDescription.Answer,
        others: [RouteDescription.Answer] = []
    ) -> RouteDescription {
        RouteDescription(
            summary, text: text,
            body: RouteDescription.Body(
                Schema.object(CallDescription.credentials + members, required: CallDescription.credentials.map(\.0) + required)),
            answers: [success, CallDescription.malformed, CallDescription.denied]
                + (others.contains { $0.status == 404 } ? [] : [off]) + others
                + [
                    RouteDescription.Answer(429, text: "A limit of Deskgate or of Sendbird is reached.", headers: ["Retry-After"]),
                    RouteDescription.Answer(
                        503,
                        text:
                            "A failure of the service or of its dependencies, never a denial: Sendbird is unavailable, or rejects Deskgate's token.",
                        headers: ["Retry-After"]),
                ])
    }
}
