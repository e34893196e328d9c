internal import AdminAPI
internal import JSON
internal import Time

/// `deskgate users show`
enum ShowCommand {
    static let show = Command(
        "users show", "Shows whether a user may chat now and why not, with devices, limits, revocations and the latest deliveries.",
        options: [
            .config, Option("app", value: .app, required: true, field: "app_id", "of this app_id"),
            Option("user", value: .text("ID"), required: true, field: "user_id", "this user_id"), .json,
        ],
        examples: [Example("deskgate users show --app my-app --user 42", "Shows all records of a user on one page.")]
    ) { arguments throws(CommandError) in
        let action = try arguments.action { () throws(AdminProblem) in
            try UserAction(appID: arguments.required("app"), userID: arguments.required("user"))
        }
        return try AdminQuestion.ask(action, arguments: arguments, text: page)
    }

    private static func page(_ answer: JSONObject) -> String {
        let sections = [
            ([heading(answer)] + notes(answer)).joined(separator: "\n"),
            section(
                "Push tokens", rows: answer["push_tokens"],
                columns: [("DEVICE", "device_id"), ("TYPE", "type"), ("TOKEN", "token"), ("SEEN", "seen_at")]),
            section(
                "Registrations", rows: registrations(answer["registrations"]),
                columns: [("LIMIT", "limit"), ("DEVICE", "device"), ("USED", "used"), ("NEXT", "next")]),
            section(
                "Revocations", rows: answer["revocations"], isComplete: answer["revocations_complete"] == .bool(true),
                columns: [
                    ("ID", "id"), ("KIND", "kind"), ("KEY_ID", "key_id"), ("ISSUED_BEFORE", "issued_before"),
                    ("DEVICES", "devices_removed"), ("BY", "author"), ("REASON", "reason"),
                ]),
            section(
                "Latest deliveries", rows: answer["deliveries"], isComplete: answer["deliveries_complete"] == .bool(true),
                columns: [
                    ("RECEIVED", "received_at"), ("STATE", "state"), ("REASON", "reason"), ("NOTIFIER", "notifier"), ("TYPE", "type"),
                    ("TRIES", "attempts"), ("ID", "id"),
                ]),
        ]
        return sections.joined(separator: "\n\n")
    }

    /// The used part of each limit, in words.
    private static func registrations(_ uses: JSONValue?) -> JSONValue {
        guard case .array(let uses)? = uses else { return [] }
        return .array(
            uses.map { use in
                let (max, seconds) = (AdminText.text(use["max"]), AdminText.text(use["window_seconds"]))
                return [
                    "limit": .string("\(max) per \(AdminText.text(use["per"])) in \(seconds) s"),
                    "device": use["device_id"] == .null ? "-" : use["device_id"] ?? .null,
                    "used": .string(use["used"] == .null ? "not counted here" : "\(AdminText.text(use["used"])) of \(max)"),
                    "next": use["used"] == .null ? "-" : use["next_at"] == .null ? "now" : use["next_at"] ?? .null,
                ]
            })
    }

    private static func heading(_ answer: JSONObject) -> String {
        "User \(AdminText.text(answer["user_id"])) of \(AdminText.text(answer["app_id"])), in the log \(AdminText.text(answer["user_ref"]))"
    }

    private static func notes(_ answer: JSONObject) -> [String] {
        var notes = [verdict(answer)]
        if case .integer(let end) = answer["shadow_until"] {
            notes.append(
                "The app is in shadow mode until \(time(end)): only blocked or forgotten users are denied the chat.")
        }
        return notes
    }

    private static func verdict(_ answer: JSONObject) -> String {
        if case .string(let reason) = answer["reason"] {
            return reason == "forgotten" ? "May not chat, ever: the user was forgotten." : "May not chat: the user is blocked."
        }
        if answer["may_chat"] == false, case .integer(let bound) = answer["keys_since"] {
            return "May not chat: keys issued before \(time(bound)) are revoked, including current ones; deskgate revocations remove ID."
        }
        let who =
            switch AdminText.text(answer["verify"]) {
            case "backend": "if the app's backend allows it"
            case "key_and_backend": "with a key of the app, if the app's backend allows it too"
            default: "with a key of the app"
            }
        guard case .integer(let bound) = answer["keys_since"] else { return "May chat \(who)." }
        return "May chat \(who). Keys issued before \(time(bound)) are revoked."
    }

    private static func time(_ seconds: Int64) -> String {
        RFC3339.text(UnixMilliseconds(rawValue: UInt64(clamping: seconds).multipliedReportingOverflow(by: 1000).partialValue))
    }

    private static func section(
        _ title: String, rows: JSONValue?, isComplete: Bool = true, columns: [(heading: String, key: String)]
    ) -> String {
        guard case .array(let rows) = rows, !rows.isEmpty else { return "\(title): none" }
        return "\(title)\n\(AdminText.table(rows, columns))" + (isComplete ? "" : "\nMore are available.")
    }
}
