internal import AdminAPI
internal import JSON

/// `deskgate find`
enum FindCommand {
    static let command = Command(
        "find", "Finds users, devices, comments, tickets and deliveries of all apps by their id.",
        details: "Searches all data. A security key is not an id: use deskgate explain --key.",
        exits: [.negative: "when nothing has this id"], operand: Operand(.text("ID"), field: "query", "a complete id of any kind"),
        options: [.config, .json],
        examples: [
            Example("deskgate find user-42", "Shows the apps in which a user has devices or deliveries, is blocked or was signed out.")
        ]
    ) { arguments throws(CommandError) in
        let id = arguments.operand ?? ""
        return try AdminQuestion.askForPages(
            arguments, isWhole: true, whenEmpty: .negative,
            action: { after throws(AdminProblem) in try FindAction(query: id, after: after) }, text: text)
    }

    /// Ids of comments are stored longer than the deliveries of the comments, but the search does not cover these ids.
    private static let nothing =
        "Nothing has this id. For a comment whose deliveries were deleted, deskgate explain --app APP --comment ID shows when it arrived."

    private static func text(_ answer: JSONObject) -> String {
        let found = answer["found"]?.elements ?? []
        guard !found.isEmpty else { return nothing }
        let rows = found.map { one -> JSONValue in
            [
                "kind": one["kind"] ?? .null, "app": one["app_id"] ?? .null, "user": one["user_id"] ?? .null,
                "in": .string(one["found_in"]?.elements.compactMap(\.text).joined(separator: ", ") ?? ""),
            ]
        }
        return AdminText.table(rows, [("KIND", "kind"), ("APP", "app"), ("USER", "user"), ("FOUND_IN", "in")])
    }
}
