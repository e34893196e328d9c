internal import AdminAPI
internal import JSON

/// `deskgate explain`
enum ExplainCommand {
    static let command = Command(
        "explain", "Explains why a user is denied or was not notified: the findings and the remedy.",
        details: "Name one of --user, --key, --comment, --device and --delivery; --user may be combined with --key or --device. "
            + "A key is judged as the service does now. The app's backend is named and not asked.",
        exits: [
            .done: "when no problem was found",
            .negative: "when something keeps this user out or this user's messages from arriving, or that cannot be said",
        ],
        options: [
            .config,
            Option("app", value: .app, default: "the only one configured", field: "app_id", "the app_id"),
            Option("user", value: .text("ID"), field: "user_id", "the user_id: the user's status"),
            Option("key", value: .secret("KEY"), field: "security_key", "a security key: whether it is valid now"),
            Option("comment", value: .text("ID"), field: "comment_id", "a comment: whether it has arrived"),
            Option("device", value: .text("ID"), field: "device_id", "a device: whether it is notified"),
            Option("delivery", value: .text("ID"), field: "delivery_id", "a delivery: whether it has arrived"), .json,
        ],
        examples: [
            Example("printf %s \"$KEY\" | deskgate explain --user 42 --key -", "Tells whether this key lets the user in, and if not why."),
            Example("deskgate explain --comment 9001", "Shows whether a reply of support has arrived, and if not, the reasons."),
        ]
    ) { arguments throws(CommandError) in
        let action = try arguments.action { () throws(AdminProblem) in
            try ExplainAction(
                appID: arguments["app"], userID: arguments["user"], securityKey: arguments["key"], commentID: arguments["comment"],
                deviceID: arguments["device"], deliveryID: arguments["delivery"])
        }
        return try AdminQuestion.ask(
            action, arguments: arguments, verdict: { $0["outcome"] == "ok" ? .done : .negative }, unavailable: .negative, text: text)
    }

    /// Returns the finding, the first remedy, and the steps.
    static func text(_ answer: JSONObject) -> String {
        var lines = [AdminText.text(answer["finding"])]
        if answer["remedy"] != .null { lines.append("To do: \(AdminText.text(answer["remedy"]))") }
        lines.append("")
        guard case .array(let steps) = answer["steps"] else { return lines.joined(separator: "\n") }
        for case .object(let step) in steps { lines += self.lines(of: step, first: answer["remedy"]) }
        return lines.joined(separator: "\n")
    }

    private static func lines(of step: JSONObject, first: JSONValue?) -> [String] {
        func value(_ key: String) -> String { AdminText.text(step[key]) }
        let mark =
            switch value("outcome") {
            case "ok": "ok  "
            case "problem": "!!  "
            default: "    "
            }
        let time = value("at").isEmpty ? "" : "\(value("at"))  "
        var lines = ["\(mark)\(value("step")): \(time)\(value("text"))"]
        if step["remedy"] != .null, step["remedy"] != first { lines.append("      -> \(value("remedy"))") }
        if case .object(let references) = step["references"], !references.members.isEmpty {
            lines.append("      " + references.members.map { "\($0.key) \(AdminText.text($0.value))" }.joined(separator: ", "))
        }
        return lines
    }
}
