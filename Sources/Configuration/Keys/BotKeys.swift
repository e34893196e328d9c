internal import Core

/// The keys of bots.
extension ConfigurationReader {
    static let botKeys: ConfigurationKeys = [
        .required("name", .text(), "1 to 32 lower-case letters, digits, `-` or `_`; a part of the bot's addresses"),
        .required("apps", .texts(), "the `app_id` of each app that the bot serves"),
        .required("public_url", .address(), "where the vendor reaches the public listener"),
        .required(
            "secret", .secrets,
            """
            signs calls of the backend, tickets and confirmations: `whsec_` and base64, as `deskgate secret new --signing` makes it; at \
            most 4, the new one first
            """),
        .live(
            "model", .word(of: BotModel.self, default: .vendor),
            """
            whose model the bot talks with: `vendor`, whose [bound](BOTS.md#limits) of 4,027 tokens holds for its texts, or `own`, where \
            the bound is 256 KiB
            """),
        .required(
            "system_message", .text(),
            """
            what the model is told. `{user_id}` stands for the user, and any other `{NAME}` for a field that a start must give, of at \
            most 256 bytes; `{{` and `}}` for braces
            """),
        .live("first_message", .object(botFirstMessageKeys)),
        .live("connect_to_person", .object(botHandOffKeys)),
        .live(
            "ticket_life_seconds", .integer(60...3600, default: Int(BotDefinition.usualTicketLifeSeconds)),
            "how long a start's ticket is valid; it ends with the security key if that is sooner"),
        .live("record_arguments", .bool(default: false), "whether the arguments of calls are stored in clear"),
        .required("functions", .objects(botFunctionKeys), "1 to 64 functions; [the vendor's bound](BOTS.md#limits) holds fewer"),
    ]

    static let botFirstMessageKeys: ConfigurationKeys = [
        .required("message", .text(), "what the bot says first; without `first_message` nothing"),
        .live("options", .texts(default: []), "up to \(QuickReplies.most) quick replies below it"),
    ]

    static let botHandOffKeys: ConfigurationKeys = [
        .live(
            "confirm", .word(of: HandOffConsent.self, default: .user),
            """
            who must agree before the bot hands a conversation over [to a person](BOTS.md#hand-off-to-a-person): `user` or `none`. Without \
            `connect_to_person` it cannot
            """),
        .live("title", .text(default: BotHandOff.usualTitle), "the title of a new ticket, of 1 to 100 UTF-16 code units"),
        .live(
            "message", .text(default: BotHandOff.usualMessage),
            """
            what support reads, in the customer's name: words that say who wrote it, and once `{summary}`; at most 1,000 UTF-16 code units \
            beside the summary
            """),
    ]

    static let botFunctionKeys: ConfigurationKeys = [
        .required("name", .text(), "1 to 64 letters, digits, `-` or `_`"),
        .required("description", .text(), "what the model reads of the function"),
        .live("parameters", .schema(default: BotParameters.none), "a [JSON Schema](BOTS.md#json-schema) of the arguments"),
        .live("bind", .object(bindKeys)),
        .required("request", .object(botRequestKeys)),
        .live(
            "confirm", .word(of: BotConfirmation.self, default: .user),
            "who must agree to a call: `user`, `model` or `none`. With the method `GET` it is `none`"),
        .live("limits", .objects(limitKeys([.user]), default: json(usualBotLimits)), "how often one user may call the function"),
    ]

    static let bindKeys: ConfigurationKeys = [
        .live(
            "PARAMETER", .word(of: BotBinding.self),
            """
            `user_id` or `app_id` of the ticket fills the parameter, and the model does not see it. `check` warns of a function without \
            one that is `user_id`
            """)
    ]

    static let botRequestKeys: ConfigurationKeys = [
        .required("method", .word(of: BotMethod.self), "`GET` for what changes nothing; `POST`, `PUT`, `PATCH` or `DELETE`"),
        .required("url", .address(), "what is called. `{PARAMETER}` may stand in segments of the path and in values of the query"),
        .live("headers", .object(botHeaderKeys)),
        .live(
            "timeout_ms", .integer(100...30_000, default: BotRequest.usualTimeoutMilliseconds),
            "how long the backend may take; the vendor waits for about three seconds"),
    ]

    static let botHeaderKeys: ConfigurationKeys = [
        .live(
            "NAME", .textOrSecret,
            """
            a header of the call, in which `{PARAMETER}` may stand. Operators are never shown its value. If its name contains `auth`, \
            `key`, `token`, `secret`, `cookie` or `password`, it must be a secret
            """)
    ]
}
