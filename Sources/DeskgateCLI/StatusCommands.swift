internal import AdminAPI
internal import Configuration
internal import Core
internal import Crypto
internal import JSON
internal import POSIX
internal import Service
internal import Time

/// `deskgate status`, `health` and `version`
enum StatusCommands {
    static let status = Command(
        "status",
        "Shows problems with their remedies, whether the service can work, and the state of the configuration and the keys.",
        details: "A warning alone is no problem: the part works, but will fail.",
        exits: [.negative: "when there is a problem or the service is not ready"], options: [.config, .json],
        examples: [
            Example("deskgate status", "Shows the state of the running service.")
        ]
    ) { arguments throws(CommandError) in
        let (access, configuration) = try arguments.service()
        let digest = try explaining { () throws(CryptoError) in try configuration?.makeAuthorizer().keysDigest }
        return try AdminQuestion.ask(StatusAction(), arguments: arguments, of: access, verdict: { isWell($0) ? .done : .negative }) {
            status in
            (sentences(status) + restartSentences(status, access) + [keys(status, inFile: digest)]).joined(separator: "\n")
        }
    }

    /// Reports that the service's file has values that a restart would apply, such as another port.
    private static func restartSentences(_ status: JSONObject, _ access: AdminAccess) -> [String] {
        // Only a running service has a configuration in force.
        guard case .object = status["configuration"], let answer = try? access.performInService(ConfigurationChangesAction()),
            case .object(let changes) = answer.json, let verdict = ConfigurationReport(changes, nil).restartVerdict
        else { return [] }
        return ["\(AdminText.text(changes["file"])) differs from what is in force (deskgate config show --diff). \(verdict)"]
    }

    /// The keys with their last use, after the processes that have other keys in force than the configuration file.
    /// - Parameter digest: the digest of the file's keys; nil while the file has mistakes.
    private static func keys(_ status: JSONObject, inFile digest: String?) -> String {
        let lines = otherKeys(status, inFile: digest)
        guard case .array(let keys) = status["keys"] else { return lines.joined(separator: "\n") }
        let rows = keys.map { key -> JSONValue in
            guard case .object(let key) = key else { return key }
            return [
                "app": key["app_id"] ?? .null, "key": key["key_id"] ?? .null, "state": key["state"] ?? .null,
                "end": .string(time(key["not_after"]) ?? "none"),
                "used": .string(lastUse(of: key)),
            ]
        }
        let columns = [("APP", "app"), ("KEY", "key"), ("STATE", "state"), ("NOT AFTER", "end"), ("LAST USED", "used")]
        return (lines + [AdminText.table(rows, columns.map { (heading: $0.0, key: $0.1) })]).joined(separator: "\n")
    }

    /// The processes that have other keys in force than the configuration file. A process that has just started, or is no service, has
    /// published none.
    static func otherKeys(_ status: JSONObject, inFile digest: String?) -> [String] {
        guard let digest else { return [] }
        let others = RotationStatus(status).processes.filter { $0.keysDigest.map { $0 != digest } ?? false }
        return others.map { ReportedProblem.otherKeys(in: $0.name) }
    }

    /// The last use of a key in the status, in words. A key without a record may have been used before.
    static func lastUse(of key: JSONObject) -> String {
        time(key["last_used"]).map(minute) ?? time(key["known_since"]).map { "never since \($0)" } ?? "not known yet"
    }

    /// The last use is recorded to the minute, so seconds would be false precision.
    private static func minute(_ time: String) -> String { time.hasSuffix("Z") ? "\(time.prefix(16))Z" : time }

    private static func time(_ value: JSONValue?) -> String? {
        guard case .integer(let seconds) = value else { return nil }
        // RFC 3339 has no date after 9999-12-31T23:59:59Z.
        let moment = UnixSeconds(rawValue: UInt64(clamping: seconds))
        return moment.rawValue > RFC3339.latest ? "after the year 9999" : RFC3339.text(moment.milliseconds)
    }

    private static func isReady(_ status: JSONObject) -> Bool { status["status"]?.text == ServiceReadiness.ready.rawValue }

    /// Whether the service can do its work without problems.
    private static func isWell(_ status: JSONObject) -> Bool {
        isReady(status) && !ReportedProblem.all(in: status).contains(where: \.isSevere)
    }

    /// Problems come first, because they are read first.
    private static func sentences(_ status: JSONObject) -> [String] {
        let warning = Console.painted("Warning:", .yellow)
        var sentences = ReportedProblem.all(in: status).flatMap { problem in
            let word = problem.isSevere ? Console.painted("Problem:", .red) : warning
            return ["\(word) \(AdminText.visible(problem.text))", "Remedy: \(AdminText.visible(problem.remedy))"]
        }
        let (ready, not) = ("Deskgate \(AdminText.text(status["version"])) is ready.", "Deskgate is not ready.")
        sentences.append(isWell(status) ? Console.painted(ready, .green) : isReady(status) ? ready : Console.painted(not, .red))
        if case .array(let reasons) = status["reasons"] { sentences += reasons.map { "Reason: \(AdminText.text($0))." } }
        if case .object(let configuration) = status["configuration"] { sentences += Self.sentences(on: configuration) }
        return sentences
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
        return sentences
    }

    static let health = Command(
        "health", "Checks whether the running service responds, like a container's health check.",
        exits: [.negative: "when it does not, or another program answers"],
        options: [.config, Option("ready", "also check whether it can store webhooks and registrations"), .json],
        examples: [
            Example("deskgate health --ready", "Ends with 0 only if webhooks and registrations can be stored, too.")
        ]
    ) { arguments throws(CommandError) in
        let isReady = arguments.has("ready")
        let answer = try ask(arguments, isReady: isReady)
        let word = (answer.isWell ? "" : "not_") + (isReady ? "ready" : "alive")
        guard let authorization = answer.authorization else {
            Console.answer(arguments, json: ["status": .string(word)], text: word)
            return answer.isWell ? .done : .negative
        }
        let json: JSONValue = ["status": .string(word), "authorization": .string(authorization)]
        Console.answer(arguments, json: json, text: "\(word) (authorization: \(authorization))")
        return .negative
    }

    /// Queries the public listener. Mistakes in the rest of the configuration matter only if no service responds.
    private static func ask(_ arguments: Arguments, isReady: Bool) throws(CommandError) -> HealthProbe.Answer {
        let file = try arguments.configurationFile()
        let listen: Configuration.Listener
        let configuration: Configuration?
        let mistakes: ConfigurationError?
        do throws(ConfigurationError) {
            let read = try Configuration(contentsOf: file)
            (listen, configuration, mistakes) = (read.listen, read, nil)
        } catch {
            guard let alone = Configuration.Listener(contentsOf: file) else { throw .configuration(error) }
            (listen, configuration, mistakes) = (alone, nil, error)
        }
        do throws(HealthProbe.Failure) {
            let answer = try HealthProbe(listen).ask(isReady: isReady)
            mistakes?.warn()
            return answer
        } catch {
            if let mistakes, error.isSilence || error.isUnasked { throw .configuration(mistakes) }
            mistakes?.warn()
            let start = configuration.flatMap { firstStart(of: $0, file) }.map { "start it: \($0)" }
            let remedy = start ?? "the service does not run, or has another listen in force: deskgate doctor shows which"
            throw .negative(error.isStranger ? "stranger" : "unreachable", error.description + (error.isSilence ? "; \(remedy)" : ""))
        }
    }

    /// The command that starts a service that has never run; nil when it has, or when this is unknown.
    private static func firstStart(of configuration: Configuration, _ file: String) -> String? {
        guard let store = configuration.store.files.first, FileSystem.obstacle(toReading: store)?.isMissing == true else { return nil }
        return InitPlace(of: file).start(file, of: configuration)
    }

    static let version = Command(
        "version", "Prints the version.", details: "The same as deskgate \(Value.alternatives(ParsedCommandLine.versionMarks)).",
        options: [.json],
        examples: [
            Example("deskgate version", "Prints the version.")
        ]
    ) { arguments in
        Console.answer(arguments, json: ["version": .string(Version.current)], text: "deskgate \(Version.current)")
        return .done
    }
}
