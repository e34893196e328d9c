internal import Core
internal import JSON
internal import Service

/// `deskgate push test`
enum PushTestCommand: Command {
    static let name = "push test"
    static let summary = "Sends one push to one device, as a comment would be sent: exit 0 when the provider has taken it, 1 when not."
    static let options = [
        Option.config, Option("notifier", value: "NAME", required: true, "a notifier of type apns, fcm, rustore or hms"),
        Option("token", value: "TOKEN", required: true, secret: true, "the device's push token"),
        Option("type", value: "TYPE", default: "ios for apns, else android", "the device's type"),
        Option("title", value: "TEXT", default: "Deskgate", "shown as the author"),
        Option("body", value: "TEXT", default: "Test push", "shown as the text"), Option.json,
    ]

    static func run(_ arguments: Arguments) throws(CommandError) -> ExitCode {
        let push = try push(arguments)
        let notifier = arguments.required("notifier")
        return try TrialRun.perform(ConfiguredCommand.configuration(arguments)) { trial throws(NotifierTrial.Failure) in
            let verdict = try trial.send(push, through: notifier)
            arguments.has("json") ? Console.print(json(verdict, notifier)) : say(verdict, notifier)
            return verdict.kind == .good ? .done : .negative
        }
    }

    private static func push(_ arguments: Arguments) throws(CommandError) -> NotifierTrial.Push {
        let token = arguments.required("token")
        try Arguments.refuseKey(token, as: "--token")
        guard (1...PushToken.longest).contains(token.utf16.count) else {
            throw .option("token", "expected 1 to \(PushToken.longest) characters")
        }
        return NotifierTrial.Push(
            token: token, type: arguments["type"], title: arguments["title"] ?? "Deskgate", body: arguments["body"] ?? "Test push")
    }

    private static func say(_ verdict: NotifierVerdict, _ notifier: String) {
        guard let remedy = verdict.remedy else { return Console.print("delivered: \(notifier) has handed it to the provider") }
        Console.print("\(verdict.kind == .unknown ? "not delivered" : "refused"): \(verdict.reason): \(remedy)")
    }

    private static func json(_ verdict: NotifierVerdict, _ notifier: String) -> JSONValue {
        [
            "status": .string(verdict.kind == .good ? "delivered" : verdict.kind.rawValue), "notifier": .string(notifier),
            "reason": .string(verdict.reason), "remedy": verdict.remedy.map { .string($0) } ?? .null,
        ]
    }
}
