internal import JSON
internal import POSIX
internal import Service
internal import Time

/// `deskgate reload`
enum ReloadCommand {
    private static let unit = "deskgate.service"
    private static let usualSeconds: UInt64 = 30

    static let command = Command(
        "reload", "Has the running service read its configuration again, and tells whether it is in force.",
        details: "It sends SIGHUP and waits for the outcome of this reload. It asks neither the admin listener nor the store.",
        exits: [
            .negative: "when the reload was refused, with the reasons, or when the service does not answer in time",
            .usage: "when there is no such process, it is no service of Deskgate, or it may not be signalled",
        ],
        options: [
            Option(
                "pid", value: .number(1...4_194_304), default: "the main process of \(unit), as systemd knows it", "the process that serves"
            ),
            Option("timeout", value: .number(1...600), default: "\(usualSeconds)", "how many seconds the service may take"),
            .json,
        ],
        examples: [
            Example("deskgate reload", "Reloads the service that systemd runs."),
            Example("deskgate reload --pid 1", "In a container: reloads its service, which is the first process there."),
        ], run: run)

    private static func run(_ arguments: Arguments) throws(CommandError) -> ExitCode {
        guard let process: Int32 = arguments.number("pid") ?? HostPlaces.system.mainProcess(of: unit) else {
            let start = InitPlace(directory: InitPlace.packaged.configuration).start(ConfigurationFile.usual)
            throw .failed("systemd knows no running \(unit); start it: \(start); or name the process that serves with --pid")
        }
        let seconds: UInt64 = arguments.number("timeout") ?? usualSeconds
        let outcome = try explaining { () throws(SystemError) in
            let limit = Int(TimeLimit.milliseconds(seconds * 1000) / 1000)
            return try WaitingLine.show("waiting for the reload") { () throws(SystemError) in
                try ReloadRequest(to: process).run(timeoutSeconds: limit)
            }
        } as: {
            // The directory of a process in /proc belongs to the process's user.
            .failed("the process \(process) cannot be asked to reload: \($0)\($0.remedy(at: "/proc/\(process)", arguments.line))")
        }
        switch outcome {
        case .stranger:
            throw .failed(
                "the process \(process)\(Process.name(of: process).map { " (\($0))" } ?? "") is no service of Deskgate, or only begins to serve, "
                    + "and was sent no signal; name the process that serves with --pid")
        case .answered(let bytes):
            guard case .object(let answer) = JSONValue(parsing: bytes) else {
                throw .failed("the process \(process) does not answer as Deskgate does")
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

    private static func show(_ answer: JSONObject, _ arguments: Arguments) -> ExitCode {
        let isInForce = answer["status"]?.text == "reloaded"
        if isInForce || arguments.has("json") {
            Console.answer(arguments, .object(answer), "reloaded: \(AdminText.count(answer["apps"], "app is", "apps are")) in force")
        } else {
            Console.complain(refusal(answer))
        }
        return isInForce ? .done : .negative
    }

    private static func refusal(_ answer: JSONObject) -> String {
        let reasons = answer["reasons"]?.elements ?? []
        var lines = ["the reload was refused, and the configuration in force stays:"] + reasons.map { "  \(AdminText.text($0))" }
        if let count = answer["count"]?.integer, count > reasons.count {
            lines.append("  and \(count - Int64(reasons.count)) more; run deskgate check")
        }
        return lines.joined(separator: "\n")
    }
}
