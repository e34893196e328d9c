internal import JSON
internal import Operators
internal import Service

/// `deskgate status`, `health` and `version`
enum StatusCommands {
    static let status = Command(
        "status", "Tells whether the service can do its work, which notifiers are switched off, and how the configuration is.",
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
        if case .object(let configuration) = status["configuration"] { sentences += Self.sentences(on: configuration) }
        return sentences.joined(separator: "\n")
    }

    private static func sentences(on configuration: JSONObject) -> [String] {
        var sentences = ["The configuration in force was loaded at \(AdminText.text(configuration["loaded_at"]))."]
        if case .object(let refused) = configuration["refused"], case .array(let reasons) = refused["reasons"] {
            sentences.append("The last reload was refused at \(AdminText.text(refused["at"])):")
            sentences += reasons.map { "  \(AdminText.text($0))" }
            if case .integer(let count) = refused["count"], count > reasons.count {
                sentences.append("  and \(count - Int64(reasons.count)) more; run deskgate check")
            }
        }
        guard case .array(let warnings) = configuration["warnings"] else { return sentences }
        for case .object(let warning) in warnings {
            sentences.append("Warning: \(AdminText.text(warning["path"])): \(AdminText.text(warning["message"])).")
        }
        return sentences
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
