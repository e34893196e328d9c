internal import Configuration
internal import JSON
internal import POSIX
internal import Service
internal import Time

/// `deskgate reload`
enum ReloadCommand {
    private static let unit = "deskgate.service"
    private static let defaultSeconds: UInt64 = 30
    private static let nameTheService = "name the process that serves with --pid"

    static let command = Command(
        "reload", "Has the running service read its configuration again, and reports whether it is in force.",
        details: "It sends SIGHUP and waits for the outcome of this reload. It uses neither the admin listener nor the store.",
        exits: [
            .negative: "when the reload was refused, with the reasons, or when the service does not answer in time",
            .usage: "when there is no such process, it is no service of Deskgate, or it may not be signalled",
        ],
        options: [
            Option(
                "pid", value: .number(1...4_194_304),
                default: "the main process of \(unit), as systemd reports it, else process 1 if it is Deskgate", "the process that serves"),
            Option("timeout", value: .number(1...600), default: "\(defaultSeconds)", "the time limit in seconds"),
            .json,
        ],
        examples: [
            Example("deskgate reload", "Reloads the service that systemd runs; in a container, its first process."),
            Example("deskgate reload --pid 4711", "Reloads a service that was started by hand."),
        ], run: run)

    private static func run(_ arguments: Arguments) throws(CommandError) -> ExitCode {
        guard let process: Int32 = arguments.number("pid") ?? service(systemd: SystemPaths.system.mainProcess(of: unit)) else {
            throw .failed(absence(hasUnit: InitPlace.hasUnit, hasConfiguration: ConfigurationFile.isNamedOrUsual))
        }
        let seconds: UInt64 = arguments.number("timeout") ?? defaultSeconds
        let outcome = try explaining { () throws(SystemError) in
            let limit = Int(TimeLimit.milliseconds(seconds * 1000) / 1000)
            return try WaitingLine.show("waiting for the reload") { () throws(SystemError) in
                try ReloadRequest(to: process).run(timeoutSeconds: limit)
            }
        } as: {
            // The directory of a process in /proc belongs to the process's user.
            let other = $0.isForbidden ? ForbiddenPath("/proc/\(process)") : nil
            let remedy = other?.remedy(arguments.line) ?? ($0.isNoSuchProcess ? nameTheService : nil)
            return .failed("the process \(process) cannot be asked to reload: \($0)\(remedy.map { "; \($0)" } ?? "")")
        }
        switch outcome {
        case .stranger:
            let name = Process.name(of: process).map { " (\($0))" } ?? ""
            throw .failed(
                "the process \(process)\(name) is no service of Deskgate, or only begins to serve, and was sent no signal; "
                    + nameTheService)
        case .answered(let bytes):
            guard case .object(let answer) = JSONValue(parsing: bytes) else {
                throw .failed("the process \(process) does not respond like Deskgate")
            }
            return show(answer, arguments)
        case .notTaken:
            throw .negative(
                "silent",
                "the process \(process) has not taken SIGHUP for \(seconds) s: it hangs, or runs in another container; see "
                    + "its log, and restart it")
        case .notFinished:
            throw .negative(
                "unfinished",
                "the process \(process) has taken SIGHUP, and has not finished the reload after \(seconds) s: a disk or a network file "
                    + "system with its files may hang; see dmesg and its log")
        case .ended:
            throw .negative("ended", "the process \(process) ended during the reload; see its log")
        }
    }

    /// The serving process if no option selects it; nil when unknown.
    /// - Parameters:
    ///   - main: the unit's main process.
    ///   - isFirst: whether process 1 runs this program, as in a container.
    static func service(systemd main: Int32?, isFirst: Bool = POSIX.Process.isOfThisProgram(1) == true) -> Int32? {
        main ?? (isFirst ? 1 : nil)
    }

    /// The error for an unknown process. Without a unit, a command that starts a service would start a second one.
    /// - Parameter hasConfiguration: whether a configuration file for the service exists.
    static func absence(hasUnit: Bool, hasConfiguration: Bool) -> String {
        guard hasConfiguration else {
            return "systemd knows no running \(unit); \(nameTheService). There is no \(ConfigurationFile.usual): "
                + Configuration.remedyOfAbsence(of: ConfigurationFile.usual)
        }
        let place = InitPlace(directory: InitPlace.packaged.configuration)
        let start = place.hint(hasUnit: hasUnit, isRunning: false).map { "\($0); or " } ?? ""
        return "systemd knows no running \(unit); \(start)\(nameTheService)"
    }

    private static func show(_ answer: JSONObject, _ arguments: Arguments) -> ExitCode {
        let isInForce = answer["status"]?.text == "reloaded"
        if isInForce || arguments.has("json") {
            let apps = AdminText.count(answer["apps"], one: "app is", many: "apps are")
            Console.answer(arguments, json: .object(answer), text: "reloaded \(AdminText.text(answer["file"])): \(apps) in force")
        } else {
            Console.complain(refusal(answer))
        }
        return isInForce ? .done : .negative
    }

    private static func refusal(_ answer: JSONObject) -> String {
        let reasons = answer["reasons"]?.elements ?? []
        let refused = "the reload of \(AdminText.text(answer["file"])) was refused, and the configuration in force stays:"
        var lines = [refused] + reasons.map { "  \(AdminText.text($0))" }
        if let count = answer["count"]?.integer, count > reasons.count {
            lines.append("  and \(count - Int64(reasons.count)) more; run deskgate check")
        }
        return lines.joined(separator: "\n")
    }
}
