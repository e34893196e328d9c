internal import AdminAPI
internal import JSON

/// `deskgate tokens list` and `tokens remove`
enum TokensCommands {
    private static let app = Option("app", value: .app, required: true, field: "app_id", "of this app_id")

    static let list = Command(
        "tokens list", "Lists registered push tokens, masked, by user and device.",
        options: [
            .config, app, Option("user", value: .text("ID"), field: "user_id", "of this user_id"),
            Option("device", value: .text("ID"), field: "device_id", "of this device_id"),
        ] + AdminQuestion.pages + [.json],
        examples: [
            Example("deskgate tokens list --app my-app --user 42", "Lists the devices of a user.")
        ]
    ) { arguments throws(CommandError) in
        try AdminQuestion.askForPages(
            arguments,
            action: { after, limit throws(AdminProblem) in
                try DeviceAction.listing(
                    appID: arguments.required("app"), userID: arguments["user"], deviceID: arguments["device"], after: after, limit: limit)
            }, text: table)
    }

    private static let columns = [
        (heading: "USER", key: "user_id"), ("DEVICE", "device_id"), ("TYPE", "type"), ("TOKEN", "token"),
        ("REGISTERED", "registered_at"), ("SEEN", "seen_at"), ("USER_REF", "user_ref"),
    ]

    private static func table(_ answer: JSONObject) -> String {
        guard case .array(let devices) = answer["push_tokens"], !devices.isEmpty else { return "No push token matches." }
        return AdminText.table(devices, columns)
    }

    static let remove = Command(
        "tokens remove", "Removes the push tokens of a user, or of one device; webhooks do not register them again.",
        options: [
            .config, app, Option("user", value: .text("ID"), required: true, field: "user_id", "of this user_id"),
            Option("device", value: .text("ID"), field: "device_id", "only of this device_id"), .author, .json,
        ],
        examples: [
            Example("deskgate tokens remove --app my-app --user 42 --device phone-1", "Removes the push token of one device.")
        ]
    ) { arguments throws(CommandError) in
        let action = try arguments.action { () throws(AdminProblem) in
            try DeviceAction.removing(
                appID: arguments.required("app"), userID: arguments.required("user"), deviceID: arguments["device"])
        }
        return try AdminQuestion.ask(action, arguments: arguments) { answer in
            "\(AdminText.count(answer["removed"], one: "push token is", many: "push tokens are")) removed."
        }
    }
}
