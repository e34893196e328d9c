internal import AdminAPI
internal import Core
internal import JSON

/// `deskgate deliveries list`, `show`, `retry` and `purge`
enum DeliveriesCommands {
    private static let states = Delivery.State.allCases.map(\.rawValue)
    private static let state = Option(
        "state", value: .choice(states, "STATE"), "\(Value.alternatives(states)); for logged deliveries, use --reason logged")
    private static let filters = [
        Option("type", value: .text("TYPE"), "with an event of this type, such as ticket.rated"),
        Option("app", value: .app, field: "app_id", "of this app_id"),
        Option("user", value: .text("ID"), field: "user_id", "of this user_id"),
        Option("ticket", value: .text("ID"), field: "ticket_id", "of this ticket"),
        Option("comment", value: .text("ID"), field: "comment_id", "of this comment"),
        Option("notifier", value: .notifier, "for this notifier"),
        Option("reason", value: .text("WORD"), "with this reason, such as status_503 or expired"),
        Option("from", value: .time, "received at this time or later, such as 2026-03-10T08:15:12Z"),
        Option("before", value: .time, "received before this time"),
    ]

    /// Returns the filter from the given options.
    /// - Parameter options: the options that are part of a filter.
    private static func criteria(_ arguments: Arguments, among options: [Option]) throws(CommandError) -> DeliveryCriteria {
        try arguments.action { () throws(AdminProblem) in
            var result = DeliveryCriteria()
            for option in options {
                if let text = arguments[option.name] { try result.add(option.field, text) }
            }
            return result
        }
    }

    private static func id(_ arguments: Arguments) throws(CommandError) -> UUIDv7? {
        guard let text = arguments.operand else { return nil }
        guard let id = UUIDv7(text) else { throw .usage("ID: expected the id of a delivery from deskgate deliveries list") }
        return id
    }

    // MARK: deliveries list

    static let list = Command(
        "deliveries list", "Lists deliveries, newest first.",
        options: [.config, state] + filters + AdminQuestion.pages + [.json],
        examples: [
            Example("deskgate deliveries list --state dead --notifier push", "Lists deliveries that this notifier could not deliver."),
            Example("deskgate deliveries list --user 42 --app my-app --all", "Lists every delivery for a user."),
        ], run: runList)

    private static let columns = [
        ("ID", "id"), ("STATE", "state"), ("REASON", "reason"), ("TRIES", "attempts"), ("NOTIFIER", "notifier"), ("APP", "app_id"),
        ("USER", "user_id"), ("DEVICE", "target.device_id"), ("TICKET", "ticket_id"), ("COMMENT", "comment_id"),
        ("RECEIVED", "received_at"),
    ]

    private static func runList(_ arguments: Arguments) throws(CommandError) -> ExitCode {
        let filter = try criteria(arguments, among: [state] + filters).filter
        return try AdminQuestion.askForPages(
            arguments,
            action: { after, limit throws(AdminProblem) in try DeliveryAction.listing(filter, after: after, limit: limit) }, text: table)
    }

    private static func table(_ answer: JSONObject) -> String {
        guard case .array(let deliveries) = answer["deliveries"], !deliveries.isEmpty else { return "No delivery matches." }
        return ([AdminText.table(deliveries.map(shown), columns)] + waits(deliveries)).joined(separator: "\n")
    }

    /// Returns a delivery with its state as displayed to users.
    private static func shown(_ delivery: JSONValue) -> JSONValue {
        guard case .object(let members) = delivery else { return delivery }
        return .object(
            JSONObject(
                members.members.map { ($0.key, $0.key == "state" ? .string(DeliveriesStory.shown("state", of: members)) : $0.value) }))
    }

    /// Returns the reasons why due deliveries were not attempted yet, one line for each notifier and reason.
    private static func waits(_ deliveries: [JSONValue]) -> [String] {
        var lines: [String] = []
        for case .object(let delivery) in deliveries {
            guard let reason = DeliveriesStory.hold(delivery) else { continue }
            let line = "Deliveries to \(AdminText.text(delivery["notifier"])) wait: \(reason)."
            if !lines.contains(line) { lines.append(line) }
        }
        return lines
    }

    // MARK: deliveries show

    static let show = Command(
        "deliveries show", "Tells the whole story of a delivery.", exits: [.negative: "when there is none of this id"],
        operand: Operand(.text("ID"), "the delivery's id"), options: [.config, .json],
        examples: [
            Example(
                "deskgate deliveries show 0199f3a2-7d51-7c44-9b1e-5f2a8c0d4e61",
                "Shows the attempts of this delivery and the next step.")
        ]
    ) { arguments throws(CommandError) in
        guard let id = try id(arguments) else { throw .usage("ID is missing") }
        return try AdminQuestion.ask(DeliveryAction.show(id), arguments: arguments, text: DeliveriesStory.sentences)
    }

    // MARK: deliveries retry

    static let retry = Command(
        "deliveries retry", "Has dead deliveries tried again: one, those that match, or all.",
        exits: [.negative: "when the delivery is unknown or not dead, or when some deliveries stay dead"],
        operand: Operand(.text("ID"), required: false, "a delivery's id, without filters"),
        options: [.config] + filters + [Option("all", "all dead deliveries, without filters"), .author, .json],
        examples: [
            Example(
                "deskgate deliveries retry --notifier push --reason status_503",
                "Retries the deliveries that failed in an outage.")
        ]
    ) { arguments throws(CommandError) in
        let action = try retrying(arguments)
        if case .retry(let filter, _) = action { return try RetryProgress.run(filter, arguments) }
        return try AdminQuestion.ask(action, arguments: arguments) { _ in "1 delivery is pending again." }
    }

    private static func retrying(_ arguments: Arguments) throws(CommandError) -> DeliveryAction {
        let criteria = try criteria(arguments, among: filters)
        switch (try id(arguments), criteria.isEmpty, arguments.has("all")) {
        case (let id?, true, false): return .retryOne(id)
        case (nil, false, false), (nil, true, true): return .retry(criteria.filter)
        case (_, _, true): throw .option("all", "goes without filters and without an ID: leave out either it or the others")
        default: throw .usage("expected an ID, or filters, or --all")
        }
    }

    // MARK: deliveries purge

    static let purge = Command(
        "deliveries purge", "Deletes deliveries that have ended, or marks all that wait for a notifier as dead.",
        options: [
            .config,
            Option("state", value: .choice(states, "STATE"), required: true, "delivered, no_target or dead; pending with --notifier"),
            Option("before", value: .time, default: "now", "ended before this time, such as 2026-03-10T08:15:12Z"),
            Option("notifier", value: .notifier, "the notifier whose pending deliveries are marked as dead with the reason purged"),
            .author,
            .json,
        ],
        examples: [
            Example(
                "deskgate deliveries purge --state dead --before 2026-03-10T00:00:00Z",
                "Deletes deliveries that became dead before this day.")
        ]
    ) { arguments throws(CommandError) in
        let action = try arguments.action { () throws(AdminProblem) in
            try DeliveryAction.purging(
                state: arguments.required("state"), before: arguments["before"], notifier: arguments["notifier"])
        }
        return try AdminQuestion.ask(action, arguments: arguments) { answer in
            let end = arguments["notifier"] == nil ? "deleted" : "marked as dead"
            return "\(AdminText.count(answer["purged"], one: "delivery is", many: "deliveries are")) \(end)."
        }
    }
}
