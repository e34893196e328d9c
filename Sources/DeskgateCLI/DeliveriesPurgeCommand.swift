internal import JSON
internal import Operators
internal import Service

/// `deskgate deliveries purge`
enum DeliveriesPurgeCommand: Command {
    static let name = "deliveries purge"
    static let summary = "Forgets deliveries that have ended, for good; or gives up what waits for a notifier."
    static let options = [
        Option.config, Option("state", value: "STATE", required: true, "delivered, no_target or dead; pending with --notifier"),
        Option("before", value: "TIME", default: "now", "ended before then, such as 2026-03-10T08:15:12Z"),
        Option("notifier", value: "NAME", "whose pending deliveries end as dead, with the reason purged"), Option.json,
    ]

    static func run(_ arguments: Arguments) throws(CommandError) -> ExitCode {
        let action = try question { () throws(AdminMistake) in
            try DeliveryAction.purging(
                state: arguments.required("state"), before: arguments["before"], notifier: arguments["notifier"])
        }
        return try AdminRun.perform(action, arguments) {
            let fate = arguments["notifier"] == nil ? "forgotten" : "given up"
            return "\(AdminText.count($0["purged"], "delivery is", "deliveries are")) \(fate)."
        }
    }
}
