internal import JSON
internal import Service

/// `deskgate tokens remove`
enum TokensRemoveCommand: Command {
    static let name = "tokens remove"
    static let summary = "Removes the push tokens of a user, or of one device; of a user as a whole, also what kept the limits."
    static let options = [
        Option.config, Option("app", value: "ID", required: true, "of this app_id"),
        Option("user", value: "ID", required: true, "of this user_id"), Option("device", value: "ID", "of this device_id alone"),
        Option.json,
    ]

    static func run(_ arguments: Arguments) throws(UsageError) -> ExitCode {
        let action: DeviceAction
        do throws(AdminMistake) {
            action = try DeviceAction.removing(
                appID: arguments.required("app"), userID: arguments.required("user"), deviceID: arguments["device"])
        } catch {
            throw UsageError(message: error.message)
        }
        return AdminRun.perform(action, arguments) { answer in
            "\(AdminText.count(answer["removed"], "push token is", "push tokens are")) removed."
        }
    }
}
