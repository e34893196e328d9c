internal import Configuration
internal import JSON
internal import Observability
internal import POSIX
internal import Service
internal import Time

/// `deskgate doctor`
enum DoctorCommand {
    static let command = Command(
        "doctor",
        "Checks the configuration and this machine: clock, limits, systemd unit, ports, service, store, DNS and providers.",
        details: "Each finding has a remedy. The command changes nothing, and takes at most 30 seconds: checks that hang are reported.",
        exits: [.done: "when no problem was found", .negative: "when there are warnings", .usage: "when there are errors"],
        options: [
            .config,
            Option("unit", value: .text("NAME"), default: Doctor.packagedUnit, "the systemd unit that runs the service, if there is one"),
            .json,
        ],
        examples: [
            Example("deskgate doctor", "Checks everything that serve would use."),
            Example("runuser -u deskgate -- deskgate doctor", "Examines it as the service's user, whose permissions count."),
        ], run: run)

    private static func run(_ arguments: Arguments) throws(CommandError) -> ExitCode {
        let file = try arguments.configurationFile()
        let sink = try Configuration.openLog(.text)
        defer { sink.close(timeoutMilliseconds: TimeLimit.milliseconds(2000)) }
        let doctor = Doctor(file: file, logger: Logger(level: .error, sink: sink), unit: unit(arguments["unit"])) {
            InitPlace(of: file).start(file, of: $0)
        }
        let (findings, isComplete) = WaitingLine.show("examining") { doctor.examine() }
        let code = code(findings)
        let rows = findings.map { finding in
            "\(Console.painted(word(finding.state), color(finding.state))) \(finding.subject.rawValue): \(finding.message)"
        }
        Console.answer(arguments, json: json(findings, code), text: rows.joined(separator: "\n"))
        if !isComplete {
            sink.close(timeoutMilliseconds: TimeLimit.milliseconds(2000))
            // exit(3) would unload OpenSSL while abandoned threads still use it.
            POSIX.Process.abandon(code.rawValue)
        }
        return code
    }

    /// Returns the full name of a unit. As in systemctl, `.service` may be omitted.
    private static func unit(_ name: String?) -> String {
        guard let name else { return Doctor.packagedUnit }
        return name.contains(".") ? name : "\(name).service"
    }

    private static func code(_ findings: [DoctorFinding]) -> ExitCode {
        if findings.contains(where: { $0.state == .problem }) { return .usage }
        return findings.contains { $0.state == .warning } ? .negative : .done
    }

    private static func word(_ state: DoctorFinding.State) -> String {
        switch state {
        case .ok: "OK     "
        case .warning: "WARNING"
        case .problem: "PROBLEM"
        }
    }

    private static func color(_ state: DoctorFinding.State) -> Console.Color {
        switch state {
        case .ok: .green
        case .warning: .yellow
        case .problem: .red
        }
    }

    private static func json(_ findings: [DoctorFinding], _ code: ExitCode) -> JSONValue {
        let status =
            switch code {
            case .done: "ok"
            case .negative: "warning"
            case .usage: "problem"
            }
        return [
            "status": .string(status),
            "findings": .array(
                findings.map {
                    ["check": .string($0.subject.rawValue), "state": .string($0.state.rawValue), "message": .string($0.message)]
                }),
        ]
    }
}
