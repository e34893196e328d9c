internal import JSON
internal import Operators
internal import Service

/// `deskgate tokens remove`
enum TokensRemoveCommand: Command {
    static let name = "tokens remove"
    static let summary = "Removes the push tokens of a user, or of one device; of a user as a whole, also what kept the limits."
    static let options = [
        Option.config, Option("app", value: "ID", required: true, field: "app_id", "of this app_id"),
        Option("user", value: "ID", required: true, field: "user_id", "of this user_id"),
        Option("device", value: "ID", field: "device_id", "of this device_id alone"),
        Option.json,
    ]

    static func run(_ arguments: Arguments) throws(CommandError) -> ExitCode {
        let action = try question { () throws(AdminMistake) in
            try DeviceAction.removing(
                appID: arguments.required("app"), userID: arguments.required("user"), deviceID: arguments["device"])
        }
        return try AdminRun.perform(action, arguments) { answer in
            "\(AdminText.count(answer["removed"], "push token is", "push tokens are")) removed."
        }
    }
}
