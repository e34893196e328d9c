internal import JSON
internal import Service

/// `deskgate deliveries list`
enum DeliveriesListCommand: Command {
    static let name = "deliveries list"
    static let summary = "Lists deliveries, newest first."
    static let options =
        [Option.config, DeliveriesOptions.state] + DeliveriesOptions.filters + [
            Option("limit", value: "N", default: "100", "how many, at most 1000"), Option.json,
        ]

    private static let columns = [
        ("ID", "id"), ("STATE", "state"), ("REASON", "reason"), ("TRIES", "attempts"), ("NOTIFIER", "notifier"), ("APP", "app_id"),
        ("USER", "user_id"), ("DEVICE", "target.device_id"), ("TICKET", "ticket_id"), ("COMMENT", "comment_id"),
        ("RECEIVED", "received_at"),
    ]

    static func run(_ arguments: Arguments) throws(CommandError) -> ExitCode {
        let limit = try arguments.number("limit", in: 1...UInt64(AdminAnswer.largestLimit)).map { Int($0) }
        let filter = try question { () throws(AdminMistake) in
            try DeliveriesOptions.criteria(arguments, among: [DeliveriesOptions.state] + DeliveriesOptions.filters).filter
        }
        return try AdminRun.perform(DeliveryAction.list(filter, limit: limit ?? AdminAnswer.defaultLimit), arguments, table)
    }

    private static func table(_ answer: JSONObject) -> String {
        guard case .array(let deliveries) = answer["deliveries"], !deliveries.isEmpty else { return "No delivery matches." }
        return AdminText.table(deliveries, columns)
    }
}
