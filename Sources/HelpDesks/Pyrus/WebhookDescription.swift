internal import Core
internal import HTTPServer
internal import HelpDesk
internal import JSON

extension WebhookIntake.Proof {
    var description: RouteDescription {
        RouteDescription(
            "Receives a comment from the help desk.",
            text: """
                The answer 200 comes once the event is durable. \(condition) With `"anonymous": "accept"` the app also accepts bodies without \
                `user_id` or `token`.
                """,
            parameters: [parameter], body: RouteDescription.Body(Self.body, example: Self.example),
            answers: [
                RouteDescription.Answer(
                    200, text: "The event is durable, is already known, or needs no delivery.",
                    schema: WebhookAnswers.schema),
                RouteDescription.Answer(
                    400, text: "The body is not strict JSON, or a required field is missing or not as expected; the message names it."),
                RouteDescription.Answer(
                    403,
                    text:
                        "The secret or the signature is wrong (`denied`), or the caller is not accepted (`forbidden_network`, `forbidden_certificate`, "
                        + "`forbidden_header`)."),
                RouteDescription.Answer(503, text: "The event could not be stored.", headers: ["Retry-After"]),
            ])
    }

    private var condition: String {
        switch self {
        case .path: "Where the app has a signature secret too, the header `X-Pyrus-Sig` must be right as well."
        case .signature: "For apps without a path secret."
        }
    }

    private var parameter: RouteDescription.Parameter {
        switch self {
        case .path: RouteDescription.Parameter("secret", place: .path, schema: Schema.text, text: "The app's webhook secret.")
        case .signature:
            RouteDescription.Parameter(
                "\(WebhookSignature.header)", place: .header, schema: ["type": "string", "pattern": "^([Ss][Hh][Aa]1=)?[0-9A-Fa-f]{40}$"],
                text: "HMAC-SHA-1 of the raw body under the app's signature secret, in hexadecimal digits.")
        }
    }

    /// The schema of an optional member, which is accepted in every form.
    private static func optional(_ form: String) -> JSONValue { ["description": .string("\(form); any other form is treated as absent.")] }

    private static let token = Schema.object(
        [
            ("app_id", Schema.line(1...FieldGrammar.longestAppID)), ("user_id", Schema.line(1...FieldGrammar.longestUserID)),
            ("device_id", Schema.nullable(Schema.line(0...FieldGrammar.longestAppID))), ("type", optional("A string")),
        ], required: ["app_id", "user_id"])

    private static let comment = Schema.object(
        [("comment_id", Schema.integer), ("body", optional("A string")), ("is_inbound", optional("A boolean, 0 or 1"))],
        required: ["comment_id"])

    private static let body = Schema.object(
        [
            ("ticket_id", Schema.integer), ("token", token), ("comment", comment),
            ("author", optional("An object with `name` (a string), `avatar_id` (an integer) and `avatar_color` (a string)")),
            ("created_at", optional("A date and time of RFC 3339")),
            ("attachments", optional("A list of objects with `id` (an integer), `name` (a string) and `size` (an integer, in bytes)")),
        ], required: ["ticket_id", "token", "comment"])

    private static let example: JSONValue = [
        "ticket_id": 4211, "token": ["app_id": "my-app", "user_id": "user-1", "device_id": "phone-1", "type": "ios"],
        "comment": ["comment_id": 9001, "body": "Hello!"], "author": ["name": "Anna"], "created_at": "2026-03-10T08:15:12Z",
    ]
}
