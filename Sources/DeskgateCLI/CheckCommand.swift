internal import Configuration
internal import Core
internal import HTTPServer
internal import JSON
internal import Service
internal import Time

/// `deskgate check`
enum CheckCommand {
    static let command = Command(
        "check", "Reads the configuration and reports all mistakes, and all obstacles to a start of serve.",
        exits: [.done: "when there is none", .usage: "otherwise"],
        options: [
            .config,
            Option(
                "live",
                "have each push provider and help desk verify its credential, without a push: exit 2 when one is rejected, 1 when one could not be verified"
            ),
            Option("send-test", "with --live: send each http notifier a signed operator.test event"), .json,
        ],
        examples: [
            Example("deskgate check", "Reads the configuration at its default path and reports every mistake."),
            Example(
                "deskgate check --live --send-test",
                "Also makes the push providers verify their credentials, and sends each http notifier a test event."),
        ], run: run)

    private static func run(_ arguments: Arguments) throws(CommandError) -> ExitCode {
        guard arguments.has("live") || !arguments.has("send-test") else { throw .option("send-test", "needs --live") }
        let file = try arguments.configurationFile()
        let configuration: Configuration
        do throws(ConfigurationError) {
            configuration = try Configuration(contentsOf: file)
            let obstacles = configuration.obstacles() + (configuration.store.problem.map { [$0] } ?? [])
            guard obstacles.isEmpty else { throw ConfigurationError(file: file, problems: obstacles) }
        } catch {
            arguments.has("json") ? Console.print(problems(of: error)) : Console.remark(error.description)
            return .usage
        }
        let warnings = warnings(configuration)
        if !arguments.has("json") { for warning in warnings { Console.remark(warning.line(in: file, "warning: ")) } }
        let summary = summary(of: configuration, warnings)
        if arguments.has("live") { return try live(configuration, arguments, file: file, summary: summary) }
        let lines = [sentence(configuration, file)] + shown(on: configuration)
        Console.answer(arguments, json: .object(summary), text: lines.joined(separator: "\n"))
        return .done
    }

    private static func live(
        _ configuration: Configuration, _ arguments: Arguments, file: String, summary: JSONObject
    ) throws(CommandError) -> ExitCode {
        try configuration.tryNotifiers { trial throws(NotifierTrial.Failure) in
            let credentials = try trial.proveAll(sendsTest: arguments.has("send-test"))
            var json = summary
            let apps = try trial.proveApps()
            json.append(
                .array(credentials.map(LiveCredential.json) + apps.map(LiveCredential.json(app:credential:verdict:))), forKey: "credentials"
            )
            let lines =
                [sentence(configuration, file)] + credentials.map(LiveCredential.line)
                + apps.map(LiveCredential.line(app:credential:verdict:))
            Console.answer(arguments, json: .object(json), text: lines.joined(separator: "\n"))
            let kinds = credentials.compactMap(\.verdict?.kind) + apps.map(\.verdict.kind)
            if kinds.contains(where: { $0 == .bad || $0 == .refused }) { return .usage }
            return kinds.contains(.unknown) ? .negative : .done
        }
    }

    private static func sentence(_ configuration: Configuration, _ file: String) -> String {
        let apps = configuration.apps.count == 1 ? "1 app" : "\(configuration.apps.count) apps"
        return "\(file) is valid: \(apps), public on \(configuration.listen.address), admin on \(configuration.admin.listener.address)"
    }

    /// Lists the contents shown on phones, which each provider can read, too: an operator must choose them knowingly.
    private static func shown(on configuration: Configuration) -> [String] {
        PushContent.allCases.compactMap { content in
            let names = configuration.notifiers.filter { $0.pushContent == content }.map(\.name)
            guard !names.isEmpty else { return nil }
            let shown =
                switch content {
                case .full: "the author and the text of each reply, and the provider reads both"
                case .author: "the author of each reply, which the provider reads, and a neutral text"
                case .private: "a neutral text, and the provider reads nothing else; \"author\" or \"full\" would show more"
                }
            return "\(names.joined(separator: ", ")): \"content\" is \"\(content.rawValue)\": phones show \(shown)"
        }
    }

    private static func summary(of configuration: Configuration, _ warnings: [ConfigurationProblem]) -> JSONObject {
        [
            "status": "valid", "public": .string(configuration.listen.address.description),
            "admin": .string(configuration.admin.listener.address.description),
            "apps": .array(configuration.apps.map { .string($0.id) }), "problems": [],
            "warnings": list(warnings),
        ]
    }

    private static func warnings(_ configuration: Configuration) -> [ConfigurationProblem] {
        let now = Clocks.system.unixSeconds()
        return configuration.unreadableFiles.warnings + configuration.warnings(now: now) + configuration.certificatesNotInForce(now: now)
            + [configuration.store.roomWarning].compactMap(\.self)
    }

    private static func list(_ problems: [ConfigurationProblem]) -> JSONValue {
        .array(problems.map(\.json))
    }

    private static func problems(of error: ConfigurationError) -> JSONValue {
        ["status": "invalid", "problems": list(error.problems)]
    }
}

/// Formats the result of `check --live` for one notifier.
enum LiveCredential {
    static func line(_ name: String, type: NotifierType, verdict: NotifierVerdict?) -> String {
        let start = "\(name) (\(type.rawValue)): "
        guard let verdict else { return "\(start)only a delivery shows it" }
        guard let remedy = verdict.remedy else {
            return NotifierVerdict.notVerified(type).map { "\(start)good; \($0) was not judged" } ?? "\(start)good"
        }
        return "\(start)\(status(verdict)): \(verdict.reason): \(remedy)"
    }

    /// The JSON of `--json`.
    static func json(_ name: String, type: NotifierType, verdict: NotifierVerdict?) -> JSONValue {
        [
            "notifier": .string(name), "type": .string(type.rawValue), "status": .string(verdict.map(status) ?? "not_judged"),
            "reason": verdict.map { .string($0.reason) } ?? .null, "remedy": verdict?.remedy.map { .string($0) } ?? .null,
            "not_judged": verdict?.kind == .good ? NotifierVerdict.notVerified(type).map { .string($0) } ?? .null : .null,
        ]
    }

    /// One line for people about a credential of an app.
    static func line(app: String, credential: String, verdict: NotifierVerdict) -> String {
        let start = "app \(app), \(credential): \(status(verdict))"
        return verdict.remedy.map { "\(start): \(verdict.reason): \($0)" } ?? start
    }

    /// The JSON of `--json` about a credential of an app.
    static func json(app: String, credential: String, verdict: NotifierVerdict) -> JSONValue {
        [
            "app": .string(app), "credential": .string(credential), "status": .string(status(verdict)), "reason": .string(verdict.reason),
            "remedy": verdict.remedy.map { .string($0) } ?? .null,
        ]
    }

    private static func status(_ verdict: NotifierVerdict) -> String {
        switch verdict.kind {
        case .good: "good"
        case .bad, .refused: "bad"
        case .unknown: "unknown"
        }
    }
}
