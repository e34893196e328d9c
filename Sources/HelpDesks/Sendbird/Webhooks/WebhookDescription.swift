internal import HTTPServer
internal import HelpDesk
internal import JSON

extension SendbirdSender {
    var description: RouteDescription {
        RouteDescription(
            self == .chat ? "Receives a webhook of Sendbird Chat." : "Receives a webhook of Sendbird Desk.",
            text: "The server answers 200 after the resulting changes are durable. Irrelevant events are answered 200 `ignored`.",
            parameters: [
                RouteDescription.Parameter("app", place: .path, schema: Schema.text, text: "The app's Application ID."),
                RouteDescription.Parameter(
                    "\(header)", place: .header,
                    schema: ["type": "string", "pattern": .string("^\(prefix)[0-9a-f]{\(self == .chat ? 64 : 40)}$")],
                    text: self == .chat
                        ? "HMAC-SHA-256 of the raw body under an API token of Chat, in lower-case hexadecimal digits."
                        : "HMAC-SHA-1 of the raw body under an API token of Desk or Chat, in lower-case hexadecimal digits."),
            ],
            body: RouteDescription.Body(
                self == .chat ? Self.chatBody : Self.deskBody, example: self == .chat ? Self.chatExample : Self.deskExample),
            answers: [
                RouteDescription.Answer(
                    200, text: "What follows is durable, was durable before, or there is nothing to be done.",
                    schema: WebhookAnswers.schema),
                RouteDescription.Answer(
                    400, text: "The body is not strict JSON, or a required field is missing or not as expected; the message names it."),
                RouteDescription.Answer(
                    403,
                    text: "The app is unknown or the signature is wrong (`denied`), or the caller is not allowed (`forbidden_network`, "
                        + "`forbidden_certificate`, `forbidden_header`)."),
                RouteDescription.Answer(503, text: "The webhook could not be stored.", headers: ["Retry-After"]),
            ])
    }

    private static let chatBody = Schema.object(
        [
            ("category", Schema.text), ("type", Schema.text), ("app_id", Schema.text),
            ("payload", Schema.object([("message_id", Schema.integer), ("message", Schema.text)], required: ["message_id"])),
            ("channel", Schema.object([("channel_url", Schema.line(1...255))], required: ["channel_url"])),
        ], required: ["category"])

    private static let deskBody = Schema.object(
        [
            ("eventType", Schema.text), ("createdAt", Schema.text),
            ("data", Schema.object([("id", Schema.integer), ("channelUrl", Schema.text)], required: ["id"])),
        ], required: ["eventType"])

    private static let chatExample: JSONValue = [
        "category": "group_channel:message_send", "type": "MESG", "sender": ["user_id": "sendbird_desk_agent_id_1", "nickname": "Anna"],
        "payload": ["message_id": 8_000_000_001, "message": "Hello!", "created_at": 1_760_000_000_000],
        "channel": ["channel_url": "sendbird_desk_1", "custom_type": "SENDBIRD_DESK_CHANNEL_CUSTOM_TYPE"], "app_id": "MY-APP",
    ]

    private static let deskExample: JSONValue = [
        "eventType": "TICKET.CREATED", "createdAt": "2026-03-01T10:00:00Z",
        "data": [
            "id": 101, "channelUrl": "sendbird_desk_1", "status2": "INITIALIZED", "closeStatus": "NOT_CLOSED",
            "customer": ["id": 11, "sendbirdId": "user-1"],
        ],
    ]
}
