internal import AdminAPI
internal import Core
internal import JSON
internal import Service

/// `deskgate push test`
enum PushTestCommand {
    static let command = Command(
        "push test", "Sends one push to one device, like that of a comment.",
        exits: [.done: "when the provider has accepted it", .negative: "otherwise"],
        options: [
            .config, Option("notifier", value: .notifier, required: true, "a notifier of type apns, fcm, rustore or hms"),
            Option("token", value: .secret("TOKEN"), required: true, "the device's push token"),
            Option("type", value: .text("TYPE"), default: "ios for apns, else android", "the device's type"),
            Option("title", value: .text("TEXT"), default: TestPush.defaultTitle, "shown as the author"),
            Option("body", value: .text("TEXT"), default: TestPush.defaultBody, "shown as the text"), .author, .json,
        ],
        examples: [
            Example("deskgate push test --notifier ios --token - <token", "Sends a push to the device whose token the file has.")
        ]
    ) { arguments throws(CommandError) in
        let push = try push(arguments)
        let notifier = arguments.required("notifier")
        return try arguments.configuration().tryNotifiers(author: arguments.author()) { trial throws(NotifierTrial.Failure) in
            let verdict = try trial.send(push, through: notifier)
            Console.answer(arguments, json: json(verdict, notifier), text: sentence(verdict, notifier))
            return verdict.kind == .good ? .done : .negative
        }
    }

    private static func push(_ arguments: Arguments) throws(CommandError) -> TestPush {
        let token = arguments.required("token")
        try Arguments.refuseKey(token, as: "--token")
        guard (1...PushToken.longest).contains(token.utf16.count) else {
            throw .option("token", "expected 1 to \(PushToken.longest) characters")
        }
        return TestPush(
            token: token, type: arguments["type"], title: arguments["title"], body: arguments["body"])
    }

    private static func sentence(_ verdict: NotifierVerdict, _ notifier: String) -> String {
        guard let remedy = verdict.remedy else { return "delivered: \(notifier) has handed it to the provider" }
        return "\(verdict.kind == .unknown ? "not delivered" : "rejected"): \(verdict.reason): \(remedy)"
    }

    private static func json(_ verdict: NotifierVerdict, _ notifier: String) -> JSONValue {
        [
            "status": .string(verdict.kind == .good ? "delivered" : verdict.kind.rawValue), "notifier": .string(notifier),
            "reason": .string(verdict.reason), "remedy": verdict.remedy.map { .string($0) } ?? .null,
        ]
    }
}
