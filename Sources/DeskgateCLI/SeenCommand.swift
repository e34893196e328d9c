internal import AdminAPI
internal import JSON

/// `deskgate users seen`
enum SeenCommand {
    static let seen = Command(
        "users seen", "Records that a user has read all messages until now. Their pending pushes are not sent.",
        details: "The app's notifiers of the types http and log get an event conversation.seen. A push that is under way may still arrive. "
            + "Backends ask the same with POST /v1/users/seen.",
        options: [
            .config, Option("app", value: .app, required: true, field: "app_id", "of this app_id"),
            Option("user", value: .text("ID"), required: true, field: "user_id", "this user_id"),
            Option("ticket", value: .text("ID"), field: "ticket_id", "only of this ticket; with Sendbird Desk its channel"), .author, .json,
        ], examples: [Example("deskgate users seen --app my-app --user 42 --ticket 4211", "The user 42 has read the ticket 4211.")]
    ) { arguments throws(CommandError) in
        let action = try arguments.action { () throws(AdminProblem) in
            try SeenAction(appID: arguments.required("app"), userID: arguments.required("user"), ticketID: arguments["ticket"])
        }
        return try AdminQuestion.ask(action, arguments: arguments) { answer in
            "Recorded. \(AdminText.count(answer["superseded"], one: "push that waited is", many: "pushes that waited are")) not sent."
        }
    }
}
