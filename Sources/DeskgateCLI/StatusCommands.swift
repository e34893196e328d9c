internal import JSON
internal import Operators
internal import Service

/// `deskgate status`, `health` and `version`
enum StatusCommands {
    static let status = Command(
        "status", "Tells whether the service can do its work, and which notifiers are switched off.",
        exits: [.negative: "when it is not ready"], options: [.config, .json]
    ) { arguments throws(CommandError) in
        try AdminQuestion.ask(StatusAction(), arguments, verdict: { isReady($0) ? .done : .negative }, sentences)
    }

    private static func isReady(_ status: JSONObject) -> Bool { status["status"] == "ready" }

    private static func sentences(_ status: JSONObject) -> String {
        var sentences = [isReady(status) ? "Deskgate \(AdminText.text(status["version"])) is ready." : "Deskgate is not ready."]
        if case .array(let reasons) = status["reasons"] { sentences += reasons.map { "Reason: \(AdminText.text($0))." } }
        if case .object(let paused) = status["paused"] {
            for member in paused.members {
                guard case .object(let why) = member.value else { continue }
                sentences.append(
                    "The notifier \(member.key) is switched off (\(AdminText.text(why["reason"]))): \(AdminText.text(why["remedy"])).")
            }
        }
        return sentences.joined(separator: "\n")
    }

    static let health = Command(
        "health", "Asks the running service whether it answers, as a container's health check does.",
        exits: [.negative: "when it does not"],
        options: [.config, Option("ready", "whether it can store webhooks and registrations, too"), .json]
    ) { arguments throws(CommandError) in
        let configuration = try arguments.configuration()
        let isReady = arguments.has("ready")
        let isWell = try explaining { () throws(HealthProbe.Failure) in
            try HealthProbe(configuration).ask(isReady: isReady)
        } as: {
            .negative("unreachable", $0.description)
        }
        let word = (isWell ? "" : "not_") + (isReady ? "ready" : "alive")
        Console.answer(arguments, ["status": .string(word)], word)
        return isWell ? .done : .negative
    }

    static let version = Command("version", "Prints the version.", options: [.json]) { arguments in
        Console.answer(arguments, ["version": .string(Version.current)], "deskgate \(Version.current)")
        return .done
    }
}
