internal import Core
internal import Service

/// What the commands about deliveries have in common: how deliveries are chosen, and how an answer ends a command.
enum DeliveriesOptions {
    private static let criteria: [(option: Option, criterion: String)] = [
        (Option("app", value: "ID", "of this app_id"), "app_id"),
        (Option("user", value: "ID", "of this user_id"), "user_id"),
        (Option("ticket", value: "N", "of this ticket"), "ticket_id"),
        (Option("comment", value: "N", "of this comment"), "comment_id"),
        (Option("notifier", value: "NAME", "for this notifier"), "notifier"),
        (Option("reason", value: "WORD", "with this reason, such as status_503 or expired"), "reason"),
        (Option("from", value: "TIME", "received then or later, such as 2026-03-10T08:15:12Z"), "from"),
        (Option("before", value: "TIME", "received before then"), "before"),
    ]

    static let state = Option("state", value: "STATE", "pending, delivered, dead or no_target")
    static let filters = criteria.map(\.option)

    /// The criteria that are given.
    static func criteria(_ arguments: Arguments) throws(UsageError) -> DeliveryCriteria {
        var result = DeliveryCriteria()
        do throws(AdminMistake) {
            if let text = arguments["state"] { try result.add("state", text) }
            for (option, criterion) in criteria {
                if let text = arguments[option.name] { try result.add(criterion, text) }
            }
        } catch {
            throw UsageError(message: error.message)
        }
        return result
    }

    /// The id that is given as the operand.
    static func id(_ arguments: Arguments) throws(UsageError) -> UUIDv7? {
        guard let text = arguments.operand else { return nil }
        guard let id = UUIDv7(text) else { throw UsageError(message: "ID: expected a delivery's id, as deskgate deliveries list shows it") }
        return id
    }
}
