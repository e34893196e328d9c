internal import Configuration
internal import HTTPServer
internal import JSON
internal import Service
internal import Time

/// `deskgate check`
enum CheckCommand: Command {
    static let name = "check"
    static let summary =
        "Reads the configuration and tells every mistake at once, and what would keep serve from starting: exit 0 when there is none, 2 otherwise."
    static let options = [
        Option.config,
        Option(
            "live",
            "have each push provider judge its credential, which nobody sees: exit 2 when one is bad, 1 when one could not be judged"),
        Option("send-test", "with --live: send each http notifier a signed operator.test event"), Option.json,
    ]

    static func run(_ arguments: Arguments) throws(CommandError) -> ExitCode {
        guard arguments.has("live") || !arguments.has("send-test") else { throw .option("send-test", "needs --live") }
        let file = try ConfiguredCommand.file(arguments)
        let configuration: Configuration
        do throws(ConfigurationError) {
            configuration = try Configuration(contentsOf: file)
            let obstacles = configuration.obstacles() + (configuration.store.problem.map { [$0] } ?? [])
            guard obstacles.isEmpty else { throw ConfigurationError(file: file, problems: obstacles) }
        } catch {
            arguments.has("json") ? Console.print(problems(of: error)) : Console.remark(error.description)
            return .usage
        }
        if !arguments.has("json") { for warning in warnings(configuration) { Console.remark("\(file): warning: \(warning)") } }
        if arguments.has("live") { return try live(configuration, arguments, file) }
        arguments.has("json") ? Console.print(.object(summary(of: configuration))) : Console.print(sentence(configuration, file))
        return .done
    }

    private static func live(_ configuration: Configuration, _ arguments: Arguments, _ file: String) throws(CommandError) -> ExitCode {
        try TrialRun.perform(configuration) { trial throws(NotifierTrial.Failure) in
            let credentials = try trial.proveAll(sendsTest: arguments.has("send-test"))
            if arguments.has("json") {
                var json = summary(of: configuration)
                json.append(.array(credentials.map { LiveCredential.json($0.name, $0.type, $0.verdict) }), forKey: "credentials")
                Console.print(.object(json))
            } else {
                Console.print(sentence(configuration, file))
                for (name, type, verdict) in credentials { Console.print(LiveCredential.line(name, type, verdict)) }
            }
            let kinds = credentials.compactMap(\.verdict?.kind)
            if kinds.contains(where: { $0 == .bad || $0 == .refused }) { return .usage }
            return kinds.contains(.unknown) ? .negative : .done
        }
    }

    private static func sentence(_ configuration: Configuration, _ file: String) -> String {
        let apps = configuration.apps.count == 1 ? "1 app" : "\(configuration.apps.count) apps"
        return "\(file) is right: \(apps), public on \(configuration.listen.address), admin on \(configuration.admin.listener.address)"
    }

    private static func summary(of configuration: Configuration) -> JSONObject {
        [
            "status": "valid", "public": .string(configuration.listen.address.description),
            "admin": .string(configuration.admin.listener.address.description),
            "apps": .array(configuration.apps.map { .string($0.id) }), "problems": [],
            "warnings": list(warnings(configuration)),
        ]
    }

    private static func warnings(_ configuration: Configuration) -> [ConfigurationProblem] {
        configuration.warnings(now: Clocks.system.unixSeconds())
    }

    private static func list(_ problems: [ConfigurationProblem]) -> JSONValue {
        .array(problems.map(\.json))
    }

    private static func problems(of error: ConfigurationError) -> JSONValue {
        ["status": "invalid", "problems": list(error.problems)]
    }
}
