internal import JSON
internal import Operators
internal import Service

/// `deskgate deliveries list`
enum DeliveriesListCommand: Command {
    static let name = "deliveries list"
    static let summary = "Lists deliveries, newest first."
    static let options =
        [Option.config, DeliveriesOptions.state] + DeliveriesOptions.filters + AdminPages.options + [Option.json]

    private static let columns = [
        ("ID", "id"), ("STATE", "state"), ("REASON", "reason"), ("TRIES", "attempts"), ("NOTIFIER", "notifier"), ("APP", "app_id"),
        ("USER", "user_id"), ("DEVICE", "target.device_id"), ("TICKET", "ticket_id"), ("COMMENT", "comment_id"),
        ("RECEIVED", "received_at"),
    ]

    static func run(_ arguments: Arguments) throws(CommandError) -> ExitCode {
        let filter = try question { () throws(AdminMistake) in
            try DeliveriesOptions.criteria(arguments, among: [DeliveriesOptions.state] + DeliveriesOptions.filters).filter
        }
        return try AdminPages.perform(
            arguments,
            { after, limit throws(CommandError) in
                try question { () throws(AdminMistake) in try DeliveryAction.listing(filter, after: after, limit: limit) }
            }, table)
    }

    private static func table(_ answer: JSONObject) -> String {
        guard case .array(let deliveries) = answer["deliveries"], !deliveries.isEmpty else { return "No delivery matches." }
        return ([AdminText.table(deliveries, columns)] + waits(deliveries)).joined(separator: "\n")
    }

    /// What holds back deliveries that are due, one line a notifier and reason.
    private static func waits(_ deliveries: [JSONValue]) -> [String] {
        var lines: [String] = []
        for case .object(let delivery) in deliveries {
            guard let reason = DeliveriesStory.hold(delivery) else { continue }
            let line = "Deliveries to \(AdminText.text(delivery["notifier"])) wait: \(reason)."
            if !lines.contains(line) { lines.append(line) }
        }
        return lines
    }
}
