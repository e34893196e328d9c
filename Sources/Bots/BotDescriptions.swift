internal import Core
internal import HTTPServer
internal import HelpDesk
internal import JSON

enum BotDescriptions {
    private static let name = RouteDescription.Parameter(
        "name", place: .path, schema: ["type": "string", "pattern": "^[a-z0-9_-]{1,32}$"], text: "The bot.", example: "orders")
    private static let functionName: JSONValue = ["type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$"]
    private static let function = RouteDescription.Parameter(
        "function", place: .path, schema: functionName, text: "The function.", example: "get_order_list")
    private static let authorization = RouteDescription.Parameter(
        "Authorization", place: .header, schema: Schema.text, text: "`Bearer` and the ticket.", example: "Bearer dgbt1.AAAA")
    private static let maybeText = Schema.nullable(Schema.text)
    private static let object: JSONValue = ["type": "object"]

    static let start = RouteDescription(
        "Starts a bot for a person: returns the data for the vendor, with a ticket for this person only.",
        text:
            "`ai_attrs` and `first_message_data` are JSON texts, to be set unchanged: the first as the `data` of the person's message, "
            + "the second as the channel's `data`. `tools` and `ticket` are for a model of your own.",
        parameters: [name],
        body: RouteDescription.Body(
            Schema.object(
                CallDescription.credentials + [("fields", Schema.nullable(["type": "object", "additionalProperties": Schema.text]))],
                required: CallDescription.credentials.map(\.0)),
            example: .object(JSONObject(CallDescription.exampleCredentials))),
        answers: [
            .init(
                200, text: "The bot's data.",
                schema: Schema.object([
                    ("ai_attrs", Schema.text), ("first_message_data", maybeText), ("tools", Schema.array(object)), ("ticket", Schema.text),
                    ("expires_at", Schema.integer),
                ])),
            CallDescription.malformed, CallDescription.denied, notFound, CallDescription.undecided,
        ])

    private static let arguments =
        "Arguments come in the query, as a form, or as a JSON object; each name once. The backend's own 2xx, or 4xx other than 401, is handed on "
        + "with its JSON."

    static let functionByGet = RouteDescription(
        "Calls a function that changes nothing, for the ticket's user.", text: arguments,
        parameters: [name, function, authorization], answers: answered)

    static let functionByPost = RouteDescription(
        "Calls a function for the ticket's user.", text: arguments, parameters: [name, function, authorization],
        body: RouteDescription.Body(object, form: object, example: [:]), answers: answered + [confirmationRequired])

    static let call = RouteDescription(
        "Calls a function for the ticket's user, in a form that any model can use.",
        parameters: [name],
        body: RouteDescription.Body(
            Schema.object(
                [
                    ("ticket", Schema.text), ("name", functionName),
                    (
                        "arguments",
                        CallDescription.described(
                            ["anyOf": [object, Schema.text, ["type": "null"]]], "An object, or a string that contains it as JSON.")
                    ),
                    ("confirmation", maybeText),
                ], required: ["ticket", "name"]),
            example: ["ticket": "dgbt1.AAAA", "name": "get_order_list", "arguments": [:]]),
        answers: [wrapped] + refusals + [confirmationRequired])

    static let reply = RouteDescription(
        "Takes the quick replies out of a text that a model of your own has written.",
        text:
            "A block such as `JSON^{\"options\":[\"Yes\",\"No\"]}^NSOJ` is cut out of the text; a broken one stays in it. The text has at most 64 KiB.",
        parameters: [name],
        body: RouteDescription.Body(
            Schema.object([("ticket", Schema.text), ("text", Schema.text)]),
            example: ["ticket": "dgbt1.AAAA", "text": "Shall I? JSON^{\"options\":[\"Yes\",\"No\"]}^NSOJ"]),
        answers: [
            .init(
                200, text: "The text without the blocks, and the quick replies of all blocks.",
                schema: Schema.object([("text", Schema.text), ("options", Schema.array(Schema.text))])),
            .init(400, text: "The body is not such an object; the message says why."), unauthorized, deniedTicket,
            .init(404, text: "There is no such bot."), limited, CallDescription.undecided,
        ])

    static let confirm = RouteDescription(
        "Performs a call that changes something, after the person has confirmed it in the app.",
        text:
            "The confirmation is in the 409 answer to the call. Its middle part is base64url of JSON, which describes the call.",
        parameters: [name],
        body: RouteDescription.Body(
            Schema.object(CallDescription.credentials + [("confirmation", Schema.text)]),
            example: .object(JSONObject(CallDescription.exampleCredentials + [("confirmation", "dgbc1.AAAA.AAAA")]))),
        answers: [
            wrapped, CallDescription.malformed, CallDescription.denied, notFound,
            .init(409, text: "The confirmation has expired or is revoked, or the call was made before."), limited, badGateway,
            CallDescription.undecided, timeout,
        ])

    private static let wrapped = RouteDescription.Answer(
        200, text: "What the backend has answered.",
        schema: Schema.object([("status_code", Schema.integer(200...499)), ("endpoint", Schema.text), ("response", Schema.any)]))
    private static let answered = [RouteDescription.Answer(200, text: "What the backend has answered.", schema: Schema.any)] + refusals
    private static let refusals: [RouteDescription.Answer] = [
        .init(400, text: "The arguments do not match the function's parameters; the message names the parameter."),
        unauthorized, deniedTicket, notFound,
        .init(405, text: "The function changes something, and is called with POST."),
        .init(413, text: "The arguments have more than 64 KiB."), limited,
        badGateway,
        .init(503, text: "The backend was not called, because of a failure of the service or its load.", headers: ["Retry-After"]),
        timeout,
    ]
    private static let unauthorized = RouteDescription.Answer(
        401, text: "There is no ticket, or it is not valid any more; never the backend's own 401, which is 502.",
        headers: ["WWW-Authenticate"])
    private static let deniedTicket = RouteDescription.Answer(403, text: "The ticket does not allow this call. The answer gives no reason.")
    private static let notFound = RouteDescription.Answer(404, text: "There is no such bot or function.")
    private static let limited = RouteDescription.Answer(
        429, text: "The person's calls exceed a limit, or their refused calls contained too many bytes.", headers: ["Retry-After"])
    private static let badGateway = RouteDescription.Answer(502, text: "The backend gave no usable answer.")
    private static let timeout = RouteDescription.Answer(504, text: "The backend did not answer in time.")
    private static let confirmationRequired = RouteDescription.Answer(
        409,
        text:
            "The call must be confirmed first (`confirmation_required`): by the person, or by the same call with `confirmation` beside the "
            + "arguments. Or it was made before (`already_called`).",
        schema: Schema.object(
            [
                ("error", Schema.text), ("message", Schema.text), ("confirmation", Schema.text), ("function", Schema.text),
                ("arguments", object), ("expires_at", Schema.integer), ("outcome", Schema.text),
                ("status_code", Schema.nullable(Schema.integer)),
            ], required: ["error", "message"]))
}
