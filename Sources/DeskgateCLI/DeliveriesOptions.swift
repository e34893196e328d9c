internal import Core
internal import Operators
internal import Service

/// What the commands about deliveries have in common: how deliveries are chosen, and how an answer ends a command.
enum DeliveriesOptions {
    static let state = Option("state", value: "STATE", "pending, delivered, dead or no_target")
    static let filters = [
        Option("app", value: "ID", field: "app_id", "of this app_id"),
        Option("user", value: "ID", field: "user_id", "of this user_id"),
        Option("ticket", value: "N", field: "ticket_id", "of this ticket"),
        Option("comment", value: "N", field: "comment_id", "of this comment"),
        Option("notifier", value: "NAME", "for this notifier"),
        Option("reason", value: "WORD", "with this reason, such as status_503 or expired"),
        Option("from", value: "TIME", "received then or later, such as 2026-03-10T08:15:12Z"),
        Option("before", value: "TIME", "received before then"),
    ]

    /// The criteria that are given.
    /// - Parameter options: those of them that the command has.
    static func criteria(_ arguments: Arguments, among options: [Option] = filters) throws(AdminMistake) -> DeliveryCriteria {
        var result = DeliveryCriteria()
        for option in options {
            if let text = arguments[option.name] { try result.add(option.field, text) }
        }
        return result
    }

    /// The id that is given as the operand.
    static func id(_ arguments: Arguments) throws(CommandError) -> UUIDv7? {
        guard let text = arguments.operand else { return nil }
        guard let id = UUIDv7(text) else { throw .usage("ID: expected a delivery's id, as deskgate deliveries list shows it") }
        return id
    }
}
