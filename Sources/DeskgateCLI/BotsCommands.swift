internal import AdminAPI
internal import Core
internal import JSON

/// `deskgate bots calls list` and `bots calls show`
enum BotsCommands {
    static let list = Command(
        "bots calls list", "Lists the calls of bots' functions, newest first.",
        options: [
            .config, Option("app", value: .app, field: "app_id", "of this app_id"),
            Option("user", value: .text("ID"), field: "user_id", "for this user_id"),
            Option("bot", value: .text("NAME"), "of this bot"), Option("function", value: .text("NAME"), "of this function"),
            Option("outcome", value: .choice(BotCallAction.outcomes, "OUTCOME"), Value.alternatives(BotCallAction.outcomes)),
            Option("since", value: .time, "begun at this time or later, such as 2026-03-10T08:15:12Z"),
        ] + AdminQuestion.pages + [.json],
        examples: [
            Example("deskgate bots calls list --app my-app --user 42", "Lists bots' calls for a user."),
            Example("deskgate bots calls list --outcome unknown --all", "Lists every call with an unknown outcome."),
        ]
    ) { arguments throws(CommandError) in
        let options = ["app_id": "app", "user_id": "user", "bot": "bot", "function": "function", "outcome": "outcome", "since": "since"]
        return try AdminQuestion.askForPages(
            arguments,
            action: { after, limit throws(AdminProblem) in
                try BotCallAction.listing { name in
                    switch name {
                    case "after": after
                    case "limit": limit.map { "\($0)" }
                    default: options[name].flatMap { arguments[$0] }
                    }
                }
            }, text: table)
    }

    private static let columns = [
        (heading: "ID", key: "id"), ("BEGAN", "at"), ("OUTCOME", "outcome"), ("STATUS", "status_code"), ("REASON", "reason"),
        ("BOT", "bot"), ("FUNCTION", "function"), ("APP", "app_id"), ("USER", "user_id"),
    ]

    private static func table(_ answer: JSONObject) -> String {
        guard case .array(let calls) = answer["calls"], !calls.isEmpty else { return "No call matches." }
        return AdminText.table(calls, columns)
    }

    static let show = Command(
        "bots calls show", "Shows one call of a bot's function and its outcome.", exits: [.negative: "when there is none of this id"],
        operand: Operand(.text("ID"), "the call's id, which the company's backend got as webhook-id"), options: [.config, .json],
        examples: [
            Example("deskgate bots calls show 0199f3a2-7d51-7c44-9b1e-5f2a8c0d4e61", "Shows the caller, the function and the outcome.")
        ]
    ) { arguments throws(CommandError) in
        guard let text = arguments.operand else { throw .usage("ID is missing") }
        guard let id = UUIDv7(text) else { throw .usage("ID: expected a call's id, as deskgate bots calls list shows it") }
        return try AdminQuestion.ask(BotCallAction.show(id), arguments: arguments, text: sentences)
    }

    private static func sentences(_ call: JSONObject) -> String {
        func value(_ key: String) -> String { AdminText.text(call[key]) }
        var lines = [
            "The bot \(value("bot")) called \(value("function")) at \(value("at")), "
                + "for user \(value("user_id")) of app \(value("app_id")).",
            "It is \(value("outcome")): \(value("meaning"))",
        ]
        if !value("remedy").isEmpty { lines.append("To do: \(value("remedy"))") }
        if !value("ended_at").isEmpty { lines.append("It ended at \(value("ended_at")).") }
        let digest = value("arguments_sha256").isEmpty ? "could not be read" : "have the SHA-256 \(value("arguments_sha256"))"
        lines.append(call["arguments"] == .null ? "Its arguments \(digest)." : "Its arguments \(digest): \(value("arguments"))")
        return lines.joined(separator: "\n")
    }
}
