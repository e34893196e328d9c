internal import JSON
internal import Operators
internal import Service

/// `deskgate tokens list`
enum TokensListCommand: Command {
    static let name = "tokens list"
    static let summary = "Lists registered push tokens, masked, by user and device."
    static let options =
        [
            Option.config, Option("app", value: "ID", required: true, field: "app_id", "of this app_id"),
            Option("user", value: "ID", field: "user_id", "of this user_id"),
            Option("device", value: "ID", field: "device_id", "of this device_id"),
        ] + AdminPages.options + [Option.json]

    private static let columns = [
        (heading: "USER", key: "user_id"), ("DEVICE", "device_id"), ("TYPE", "type"), ("TOKEN", "token"),
        ("REGISTERED", "registered_at"), ("SEEN", "seen_at"), ("USER_REF", "user_ref"),
    ]

    static func run(_ arguments: Arguments) throws(CommandError) -> ExitCode {
        try AdminPages.perform(
            arguments,
            { after, limit throws(CommandError) in
                try question { () throws(AdminMistake) in
                    try DeviceAction.listing(
                        appID: arguments.required("app"), userID: arguments["user"], deviceID: arguments["device"], after: after,
                        limit: limit)
                }
            }, table)
    }

    private static func table(_ answer: JSONObject) -> String {
        guard case .array(let devices) = answer["push_tokens"], !devices.isEmpty else { return "No push token matches." }
        return AdminText.table(devices, columns)
    }
}
