internal import Core

extension ConfigurationReader {
    static let botKeys: ConfigurationKeys = [
        .required("name", .text(), meaning: "1 to 32 lower-case letters, digits, `-` or `_`; part of the bot's addresses"),
        .required("apps", .texts(), meaning: "`app_id` of each app that the bot serves"),
        .required("public_url", .address(), meaning: "public listener's address, as the vendor reaches it"),
        .required(
            "secret", .secrets,
            meaning: "signs function calls, tickets and confirmations; [signing secrets](#secrets), at most 4, new first"),
        .live(
            "model", .word(of: BotModel.self, default: .vendor),
            meaning: "`vendor` ([limit](BOTS.md#limits) 4,027 tokens) or `own` (256 KiB)"),
        .required(
            "system_message", .text(),
            meaning: "the model's instructions; `{NAME}` for a start's field (256 bytes), `{user_id}`, `{{` and `}}` for braces"),
        .live("first_message", .object(botFirstMessageKeys)),
        .live("connect_to_person", .object(botHandOffKeys)),
        .live(
            "ticket_life_seconds", .integer(60...3600, default: Int(BotDefinition.defaultTicketLifetimeSeconds)),
            meaning: "lifetime of a start's ticket; at most that of the security key"),
        .live("record_arguments", .bool(default: false), meaning: "stores the arguments of calls in clear"),
        .required("functions", .objects(botFunctionKeys), meaning: "1 to 64; [the vendor's limit](BOTS.md#limits) is lower"),
    ]

    static let botFirstMessageKeys: ConfigurationKeys = [
        .required("message", .text(), meaning: "the bot's first message"),
        .live("options", .texts(default: []), meaning: "quick replies below it, at most \(QuickReplies.most)"),
    ]

    static let botHandOffKeys: ConfigurationKeys = [
        .live(
            "confirm", .word(of: HandOffConsent.self, default: .user),
            meaning: """
                consent to a [hand-off to a person](BOTS.md#hand-off-to-a-person): `user` or `none`. Without `connect_to_person`, no \
                hand-off
                """),
        .live("title", .text(default: BotHandOff.defaultTitle), meaning: "title of a new ticket, 1 to 100 UTF-16 code units"),
        .live(
            "message", .text(default: BotHandOff.defaultMessage),
            meaning: "support's message in the customer's name: `{summary}` once, with at most 1,000 other UTF-16 code units"),
    ]

    static let botFunctionKeys: ConfigurationKeys = [
        .required("name", .text(), meaning: "1 to 64 letters, digits, `-` or `_`"),
        .required("description", .text(), meaning: "description for the model"),
        .live("parameters", .schema(default: BotParameters.none), meaning: "[JSON Schema](BOTS.md#json-schema) of the arguments"),
        .live("bind", .object(bindKeys)),
        .required("request", .object(botRequestKeys)),
        .live(
            "confirm", .word(of: BotConfirmation.self, default: .user),
            meaning: "consent to a call: `user`, `model` or `none`; always `none` with `GET`"),
        .live("limits", .objects(limitKeys([.user]), default: json(defaultBotLimits)), meaning: "rate limits of each user"),
    ]

    static let bindKeys: ConfigurationKeys = [
        .live(
            "PARAMETER", .word(of: BotBinding.self),
            meaning: "ticket value that fills the parameter, unseen by the model: `user_id` or `app_id`")
    ]

    static let botRequestKeys: ConfigurationKeys = [
        .required("method", .word(of: BotMethod.self), meaning: "`GET` for reads; `POST`, `PUT`, `PATCH` or `DELETE`"),
        .required("url", .address(), meaning: "address to call; `{PARAMETER}` in path segments and query values"),
        .live("headers", .object(botHeaderKeys)),
        .live(
            "timeout_ms", .integer(100...30_000, default: BotRequest.defaultTimeoutMilliseconds),
            meaning: "time limit of the backend; the vendor waits about three seconds"),
    ]

    static let botHeaderKeys: ConfigurationKeys = [
        .live("NAME", .textOrSecret, meaning: "request header, may contain `{PARAMETER}`; credentials [must be secrets](#secrets)")
    ]
}
