internal import AdminAPI
internal import Configuration
internal import Core
internal import JSON
internal import Time

/// `deskgate revoke`, `revocations list` and `revocations remove`
enum RevokeCommands {
    private static let whose = ["user", "key", "key-id", "all"]

    static let revoke = Command(
        "revoke", "Revokes security keys: one, or those of a user, of a key id or of an app.",
        details:
            "Give exactly one of --user, --key, --key-id and --all; with --key optionally --user, so that only this user's devices are "
            + "searched. A running service denies the keys with its next request, other replicas within a second. Devices that their "
            + "apps registered with them are signed out.",
        options: [
            .config, Option("app", value: .app, required: true, field: "app_id", "of this app_id"),
            Option("user", value: .text("ID"), field: "user_id", "all keys of this user_id, issued until now"),
            Option("key", value: .secret("KEY"), field: "security_key", "this one key"),
            Option("key-id", value: .number(0...UInt64(UInt32.max)), field: "key_id", "all keys made with this key of the app"),
            Option("all", "all keys of the app, issued until now"),
            Option(
                "issued-before", value: .number(1...Revocation.latestBound.rawValue, Value.moment), field: "issued_before",
                "only keys issued before this time, in seconds since 1970"),
            Option("reason", value: .text("TEXT"), "the reason, for other operators"), .author, .json,
        ],
        examples: [
            Example(
                "deskgate revoke --app my-app --user 42 --reason 'lost phone'", "Revokes every key of a user that was issued until now."),
            Example("deskgate revoke --app my-app --key-id 1", "Revokes every key signed with the app's key 1."),
        ]
    ) { arguments throws(CommandError) in
        let named = whose.filter(arguments.has)
        guard named.count == 1 || named == ["user", "key"] else {
            let problem = named.isEmpty ? "missing" : "more than one"
            throw .usage("\(problem) of \(Value.alternatives(whose.map { "--\($0)" })); expected exactly one")
        }
        let action = try arguments.action { () throws(AdminProblem) in
            RevocationAction.add(
                try RevocationRequest(
                    appID: arguments.required("app"), userID: arguments["user"], securityKey: arguments["key"],
                    keyID: arguments.number("key-id"), all: arguments.has("all"), issuedBefore: arguments.number("issued-before"),
                    reason: arguments["reason"]))
        }
        return try AdminQuestion.ask(action, arguments: arguments) { answer in
            "Revoked. Its id is \(AdminText.text(answer["id"])).\(removed(answer["devices_removed"]))"
        }
    }

    /// The number of removed devices, as a sentence after another one; empty for none.
    fileprivate static func removed(_ count: JSONValue?) -> String {
        guard let count, count != .integer(0) else { return "" }
        return " \(AdminText.count(count, one: "push token is", many: "push tokens are")) removed."
    }

    static let list = Command(
        "revocations list", "Lists revocations and blocked users, newest first.",
        options: [
            .config, Option("app", value: .app, field: "app_id", "of this app_id"),
            Option("user", value: .text("ID"), field: "user_id", "with --app: that name this user_id"),
        ] + AdminQuestion.pages + [.json],
        examples: [
            Example("deskgate revocations list --app my-app --user 42", "Lists the revocations for a user."),
            Example("deskgate revocations list --app my-app --all", "Lists all revocations of one app."),
        ]
    ) { arguments throws(CommandError) in
        try AdminQuestion.askForPages(
            arguments,
            action: { after, limit throws(AdminProblem) in
                try RevocationAction.listing(appID: arguments["app"], userID: arguments["user"], after: after, limit: limit)
            }, text: table)
    }

    private static let columns = [
        (heading: "ID", key: "id"), ("KIND", "kind"), ("APP", "app_id"), ("USER", "user_id"), ("KEY_ID", "key_id"),
        ("ISSUED_BEFORE", "issued_before"), ("CREATED", "created_at"), ("DEVICES", "devices_removed"), ("BY", "author"),
        ("USER_REF", "user_ref"), ("REASON", "reason"),
    ]

    private static func table(_ answer: JSONObject) -> String {
        guard case .array(let revocations) = answer["revocations"], !revocations.isEmpty else { return "Nothing is revoked." }
        return AdminText.table(revocations, columns)
    }

    static let remove = Command(
        "revocations remove", "Removes a revocation: its keys are valid again.", exits: [.negative: "when there is none with this id"],
        operand: Operand(.text("ID"), "the revocation's id"), options: [.config, .author, .json],
        examples: [
            Example("deskgate revocations remove 17", "Makes the keys of this revocation valid again.")
        ]
    ) { arguments throws(CommandError) in
        guard let action = RevocationAction.removing(arguments.operand ?? "") else {
            throw .usage("ID: expected the id of a revocation, as revocations list shows it")
        }
        return try AdminQuestion.ask(action, arguments: arguments) { _ in "The revocation is removed." }
    }
}

/// `deskgate users sign-out`, `users block` and `users unblock`
enum UsersCommands {
    static let signOut = command(
        .signOut, summary: "Revokes all keys of a user that were issued until now, and removes the user's devices.",
        example: "Revokes every key of the user 42, who may return with a new one."
    ) { answer in
        "Signed out. \(AdminText.count(answer["removed"], one: "push token is", many: "push tokens are")) removed."
    }

    static let block = command(
        .block, summary: "Denies a user, with any key, until unblocked, and removes the user's devices.",
        example: "Denies the user 42 from now on."
    ) { answer in "Blocked.\(RevokeCommands.removed(answer["removed"]))" }

    static let unblock = command(
        .unblock, summary: "Ends a block: keys without another revocation are valid again.",
        exits: [.negative: "when the user was not blocked, or stays denied"],
        example: "Allows the user 42 again.", verdict: { $0["removed"] == .integer(0) || $0["forgotten"] == true ? .negative : .done }
    ) { answer in
        if answer["forgotten"] == true { return "The user was forgotten, and stays out with any key: give the person another user_id." }
        return answer["removed"] == .integer(0) ? "The user was not blocked." : "Unblocked."
    }

    private static func command(
        _ kind: PersonAction.Kind, summary: String, exits: KeyValuePairs<ExitCode, String> = [:], example: String,
        verdict: @escaping @Sendable (JSONObject) -> ExitCode = { _ in .done }, text: @escaping @Sendable (JSONObject) -> String
    ) -> Command {
        Command(
            "users \(kind.rawValue)", summary, exits: exits,
            options: [
                .config, Option("app", value: .app, required: true, field: "app_id", "of this app_id"),
                Option("user", value: .text("ID"), required: true, field: "user_id", "this user_id"),
                Option("reason", value: .text("TEXT"), "the reason, for other operators"), .author, .json,
            ], examples: [Example("deskgate users \(kind.rawValue) --app my-app --user 42", example)]
        ) { arguments throws(CommandError) in
            let action = try arguments.action { () throws(AdminProblem) in
                try PersonAction(kind, appID: arguments.required("app"), userID: arguments.required("user"), reason: arguments["reason"])
            }
            return try AdminQuestion.ask(action, arguments: arguments, verdict: verdict, text: text)
        }
    }
}
