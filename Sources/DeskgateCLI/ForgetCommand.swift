internal import AdminAPI
internal import JSON

/// `deskgate users forget`
enum ForgetCommand {
    static let forget = Command(
        "users forget", "Revokes all keys of a user permanently, and erases all data about the user from the store.",
        details: "Devices, message texts and identifiers are erased, and pending deliveries are cancelled. The notifiers that get "
            + "registered devices get an event user.forgotten, and the user's id leaves the store when they have it. It cannot be undone.",
        options: [
            .config, Option("app", value: .app, required: true, field: "app_id", "of this app_id"),
            Option("user", value: .text("ID"), required: true, field: "user_id", "this user_id"),
            Option("reason", value: .text("TEXT"), "the reason, for other operators"), .author, .json,
        ],
        examples: [
            Example(
                "deskgate users forget --app my-app --user 42 --reason 'asked to be erased'",
                "Erases a user, and verifies it with a search.")
        ]
    ) { arguments throws(CommandError) in
        let action = try arguments.action { () throws(AdminProblem) in
            try ForgetAction(appID: arguments.required("app"), userID: arguments.required("user"), reason: arguments["reason"])
        }
        return try AdminQuestion.ask(action, arguments: arguments, text: text)
    }

    private static func text(_ answer: JSONObject) -> String {
        let counts = [
            AdminText.count(answer["devices"], one: "push token", many: "push tokens"),
            AdminText.count(answer["events"], one: "event", many: "events"),
            AdminText.count(answer["deliveries"], one: "delivery", many: "deliveries"),
            AdminText.count(answer["bot_calls"], one: "call of bots", many: "calls of bots"),
            AdminText.count(answer["revocations"], one: "revocation", many: "revocations"),
        ]
        return (["Forgotten. Erased: \(counts.joined(separator: ", "))."] + remaining(answer) + files(answer)).joined(separator: "\n")
    }

    private static func remaining(_ answer: JSONObject) -> [String] {
        guard case .array(let remaining) = answer["remaining"], !remaining.isEmpty else { return ["No table names the user any more."] }
        return remaining.compactMap { value in
            guard case .object(let entry) = value else { return nil }
            let notifier = AdminText.text(entry["notifier"])
            let place = AdminText.text(entry["where"]) + (notifier.isEmpty ? "" : " to \(notifier)")
            let count = AdminText.text(entry["count"])
            return "Remains in \(place)\(count.isEmpty ? "" : " (\(count))"): \(AdminText.text(entry["why"]))."
        }
    }

    private static func files(_ answer: JSONObject) -> [String] {
        guard case .object(let files) = answer["files"], case .array(let names) = files["names"] else { return [] }
        let searched = AdminText.count(files["texts"], one: "text", many: "texts")
        let short = files["too_short"] == .integer(0) ? "" : "; \(AdminText.text(files["too_short"])) too short to be searched for"
        let found = AdminText.count(files["occurrences"], one: "occurrence", many: "occurrences")
        return [
            "\(names.map { AdminText.text($0) }.joined(separator: " and ")), \(AdminText.text(files["bytes"])) bytes, searched for "
                + "\(searched): \(found)\(short)."
        ]
    }
}
