internal import AdminAPI
internal import Core
internal import JSON

/// `deskgate tickets …`: queries and changes the help desk's tickets of an app through the running service.
enum TicketsCommands {
    private static let app = Option("app", value: .app, required: true, field: "app_id", "of this app_id")
    private static let user = Option("user", value: .text("ID"), field: "user_id", "of this user_id")
    private static let owner = Option("user", value: .text("ID"), required: true, field: "user_id", "the customer's user_id")
    private static let ticket = Option("ticket", value: number, required: true, field: "ticket_id", "the help desk's number of the ticket")
    private static let number = Value.number(1...UInt64(Int64.max))
    private static let priorities = Value.text("PRIORITY")
    private static let related = Option(
        "related", value: .text("CHANNEL"), repeatable: true, field: "related_channels", "a channel that it is about, at most 3")
    private static let running = "Needs a running service, which calls the help desk."

    static let create = Command(
        "tickets create", "Creates a ticket for a customer at the help desk.",
        details: "\(running) Support sees the ticket with the customer's first message, so give one with --message, or let the app "
            + "send it.",
        exits: [.negative: "when the help desk does not know the user"],
        options: [
            .config, app, owner,
            Option("user-name", value: .text("NAME"), field: "user_name", "the customer's name, as support sees it from now on"),
            Option("title", value: .text("TEXT"), required: true, "the subject"),
            Option("group", value: .text("KEY"), field: "group_key", "the group of agents for the ticket"),
            Option("priority", value: priorities, default: "the help desk's", "the urgency: LOW, MEDIUM, HIGH or URGENT"),
            Option(
                "field", value: .text("FIELD"), repeatable: true, field: "custom_fields", "KEY=VALUE, a registered field of the help desk"),
            related, Option("message", value: .text("TEXT"), "the customer's first message"), .author, .json,
        ],
        examples: [
            Example(
                "deskgate tickets create --app my-app --user 42 --title 'Order 7' --message 'Where is it?'",
                "Creates a ticket that support sees immediately.")
        ]
    ) { arguments throws(CommandError) in
        let action = try arguments.action { () throws(AdminProblem) in
            try TicketAction.creating(
                appID: arguments.required("app"), userID: arguments.required("user"), userName: arguments["user-name"],
                title: arguments.required("title"), groupKey: arguments["group"], priority: arguments["priority"],
                fields: try fields(arguments),
                relatedChannels: arguments.all("related"), message: arguments["message"])
        }
        return try AdminQuestion.ask(action, arguments: arguments) { answer in
            let ticket = AdminText.text(of: "ticket.ticket_id", in: answer)
            let message = answer["message"] == "failed" ? " The first message was not sent; send it from the app." : ""
            return "Created. The ticket's number is \(ticket).\(message)\(dropped(answer))"
        }
    }

    static let show = Command(
        "tickets show", "Shows one ticket of the help desk's.", details: "\(running) Name it with --ticket or --channel.",
        exits: [.negative: "when there is no such ticket"],
        options: [
            .config, app, Option("ticket", value: number, field: "ticket_id", "the help desk's number of the ticket"),
            Option("channel", value: .text("URL"), "the URL of its conversation's channel"), .json,
        ],
        examples: [Example("deskgate tickets show --app my-app --ticket 101", "Shows the ticket 101.")]
    ) { arguments throws(CommandError) in
        let action = try arguments.action { () throws(AdminProblem) in
            try TicketAction.showing(
                appID: arguments.required("app"), ticketID: arguments.number("ticket"), channel: arguments["channel"])
        }
        return try AdminQuestion.ask(action, arguments: arguments, text: lines)
    }

    static let list = Command(
        "tickets list", "Lists open or closed tickets of the help desk's, the last changed first.", details: running,
        options: [
            .config, app, user, Option("closed", "those that are closed, in place of those that are open"),
            Option("field", value: .text("FIELD"), field: "custom_field", "KEY=VALUE, a field that the tickets must have"),
            Option(
                "limit", value: .number(1...UInt64(TicketQuery.longestPage)),
                default: "\(TicketQuery.pageLength), with --all \(TicketQuery.longestPage)", "the number of tickets on a page"),
            AdminQuestion.pages[1], AdminQuestion.pages[2], .json,
        ],
        examples: [
            Example("deskgate tickets list --app my-app --user 42", "Lists a customer's open tickets."),
            Example("deskgate tickets list --app my-app --closed --field order=7 --all", "Finds every closed ticket about an order."),
        ]
    ) { arguments throws(CommandError) in
        try AdminQuestion.askForPages(
            arguments,
            action: { after, limit throws(AdminProblem) in
                try TicketAction.listing(
                    appID: arguments.required("app"), state: (arguments.has("closed") ? TicketQuery.Selection.closed : .open).rawValue,
                    userID: arguments["user"],
                    field: arguments["field"], after: after, limit: limit.map { min($0, TicketQuery.longestPage) })
            }, text: table)
    }

    static let count = Command(
        "tickets count", "Counts tickets of the help desk's by state.", details: running, options: [.config, app, user, .json],
        examples: [Example("deskgate tickets count --app my-app", "Counts the tickets of an app.")]
    ) { arguments throws(CommandError) in
        let action = try arguments.action { () throws(AdminProblem) in
            try TicketAction.counting(appID: arguments.required("app"), userID: arguments["user"])
        }
        return try AdminQuestion.ask(action, arguments: arguments) { answer in
            guard case .object(let states)? = answer["states"] else { return "" }
            let rows = states.members.map { "\($0.key): \(AdminText.text($0.value))" }
            return (["open: \(AdminText.text(answer["open"]))"] + rows).joined(separator: "\n")
        }
    }

    static let close = changing(
        "close", summary: "Closes a ticket that is active or idle.",
        options: [Option("comment", value: .text("TEXT"), "the reason, for support")],
        exit: "when there is no such ticket, or it is not active or idle", example: "Closes the ticket 101."
    ) { arguments throws(AdminProblem) in
        try TicketAction.closing(
            appID: arguments.required("app"), ticketID: arguments.number("ticket"), comment: arguments["comment"])
    }

    static let reopen = changing(
        "reopen", summary: "Reopens a closed ticket, where the help desk lets others do that.", options: [],
        exit: "when there is no such ticket, it is not closed, or the help desk does not offer it", example: "Reopens the ticket 101."
    ) { arguments throws(AdminProblem) in
        try TicketAction.reopening(appID: arguments.required("app"), ticketID: arguments.number("ticket"))
    }

    static let priority = changing(
        "priority", summary: "Changes how urgent a ticket is.",
        options: [Option("to", value: priorities, required: true, field: "priority", "LOW, MEDIUM, HIGH or URGENT")],
        exit: "when there is no such ticket", arguments: " --to HIGH", example: "Makes the ticket 101 urgent for support."
    ) { arguments throws(AdminProblem) in
        try TicketAction.prioritizing(
            appID: arguments.required("app"), ticketID: arguments.number("ticket"), priority: arguments.required("to"))
    }

    static let relate = Command(
        "tickets relate", "Sets the customer's channels that are related to a ticket.",
        details: "\(running) Support sees these conversations beside the ticket. The customer must have joined each.",
        exits: [.negative: "when there is no such ticket"],
        options: [.config, app, ticket, related, Option("none", "it is about no channel, in place of --related"), .author, .json],
        examples: [
            Example(
                "deskgate tickets relate --app my-app --ticket 101 --related my-channel", "Shows support my-channel beside the ticket 101.")
        ]
    ) { arguments throws(CommandError) in
        let channels = arguments.all("related")
        guard channels.isEmpty == arguments.has("none") else { throw .option("related", "expected either it or --none") }
        let action = try arguments.action { () throws(AdminProblem) in
            try TicketAction.relating(
                appID: arguments.required("app"), ticketID: arguments.number("ticket"), channels: channels)
        }
        return try AdminQuestion.ask(action, arguments: arguments, text: lines)
    }

    static let fields = Command(
        "tickets fields", "Sets fields of a ticket or of a customer at the help desk.",
        details: "\(running) Give a ticket or a user. An empty value clears a field. The help desk ignores unregistered keys.",
        exits: [.negative: "when there is no such ticket or customer, or the help desk has dropped every field"],
        options: [
            .config, app, Option("ticket", value: number, field: "ticket_id", "the help desk's number of the ticket"),
            Option("user", value: .text("ID"), field: "user_id", "the customer, in place of a ticket"),
            Option(
                "field", value: .text("FIELD"), required: true, repeatable: true, field: "custom_fields", "KEY=VALUE, a field and its value"
            ),
            .author, .json,
        ],
        examples: [Example("deskgate tickets fields --app my-app --ticket 101 --field order=7", "Sets the field order of the ticket 101.")]
    ) { arguments throws(CommandError) in
        let action = try arguments.action { () throws(AdminProblem) in
            try TicketAction.settingFields(
                appID: arguments.required("app"), ticketID: arguments.number("ticket"), userID: arguments["user"], try fields(arguments))
        }
        // Each key is given once, so if as many keys were dropped as fields were given, no field was set.
        let isVain = { (answer: JSONObject) in answer["dropped"]?.elements.count == arguments.all("field").count }
        return try AdminQuestion.ask(action, arguments: arguments, verdict: { isVain($0) ? .negative : .done }) { answer in
            "\(isVain(answer) ? "No field was set." : "Set.")\(dropped(answer))"
        }
    }

    private static func changing(
        _ name: String, summary: String, options: [Option], exit: String, arguments extra: String = "", example: String,
        make: @escaping @Sendable (Arguments) throws(AdminProblem) -> TicketAction
    ) -> Command {
        Command(
            "tickets \(name)", summary, details: running, exits: [.negative: exit],
            options: [.config, app, ticket] + options + [.author, .json],
            examples: [Example("deskgate tickets \(name) --app my-app --ticket 101\(extra)", example)]
        ) { arguments throws(CommandError) in
            let action = try arguments.action { () throws(AdminProblem) in try make(arguments) }
            return try AdminQuestion.ask(action, arguments: arguments, text: lines)
        }
    }

    private static func fields(_ arguments: Arguments) throws(AdminProblem) -> [TicketField] {
        var fields: [TicketField] = []
        for text in arguments.all("field") { fields.append(try TicketAction.field(text)) }
        return fields
    }
}
