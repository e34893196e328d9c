import Glibc
import JSON
import TestSupport
import Testing

@testable import DeskgateCLI

/// `deskgate reload` reports the outcome of the reload that it requested, and of no other.
@Suite struct ReloadCommandTests {
    private static let twoApps: JSONObject = ["apps": [Workspace.app(1), Workspace.app(2)]]

    private func reload(_ server: RunningServer, _ options: [String] = [], factor: Int = 5) throws -> Deskgate.Result {
        try Deskgate.run(
            ["reload", "--pid", "\(server.process.identifier)"] + options, environment: ["DESKGATE_TIME_LIMIT_FACTOR": "\(factor)"])
    }

    @Test func `a configuration in force is success`() throws {
        let workspace = try Workspace()
        let server = try RunningServer(workspace)
        try workspace.configure(Self.twoApps)
        let result = try reload(server)
        #expect(result.code == 0)
        #expect(result.output == "reloaded \(workspace.configuration): 2 apps are in force\n")
        #expect(result.errors == "")
        #expect(try server.authorize(workspace.key(app: "app-2"), app: "app-2").status == 200)
        #expect(try reload(server, ["--json"]).json == ["status": "reloaded", "file": .string(workspace.configuration), "apps": 2])
        #expect(try server.stop() == .exit(0))
    }

    @Test func `keys that need a restart are reported`() throws {
        let workspace = try Workspace()
        let server = try RunningServer(workspace)
        try workspace.configure(["shutdown": ["drain_seconds": 5], "log": ["level": "info", "format": "text"]])
        let result = try reload(server)
        #expect(result.code == 1)
        #expect(result.output == "")
        let lines = result.errors.split(separator: "\n")
        try #require(lines.count == 3)
        #expect(lines[0] == "deskgate: the reload of \(workspace.configuration) was refused, and the configuration in force stays:")
        for (line, key) in zip(lines.dropFirst(), ["$.log.format", "$.shutdown.drain_seconds"]) {
            #expect(line.hasPrefix("  \(workspace.configuration):"))
            #expect(line.contains(/:\d+:\d+: \$/))
            #expect(line.hasSuffix(": \(key): cannot change while serving; restart"))
        }
        #expect(try server.stop() == .exit(0))
    }

    @Test(arguments: [
        (#"{"#, ":1:1: not valid JSON: "), (#"{"apps": []}"#, ":1:2: $.apps: "),
        (#"{"listen": 1, "unknown": 2}"#, ":1:15: $.unknown: unknown key"),
    ])
    func `mistakes are reported`(text: String, reason: String) throws {
        let workspace = try Workspace()
        let server = try RunningServer(workspace)
        try workspace.write("config.json", text)
        let result = try reload(server)
        #expect(result.code == 1)
        #expect(result.errors.contains("\n  \(workspace.configuration)\(reason)"), "\(result.errors)")
        let check = try Deskgate.run("check", "--config", workspace.configuration).errors.split(separator: "\n")
        #expect(result.errors.split(separator: "\n").dropFirst().map(String.init) == check.map { "  \($0)" })
        let answer = try reload(server, ["--json"])
        #expect(answer.code == 1)
        #expect(try answer.json.string("status") == "refused")
        #expect(try server.stop() == .exit(0))
    }

    @Test func `no earlier outcome is reported`() throws {
        let workspace = try Workspace()
        let server = try RunningServer(workspace)
        for _ in 0..<3 {
            try workspace.write("config.json", "{")
            #expect(try reload(server).code == 1)
            try workspace.configure()
            #expect(try reload(server).code == 0)
        }
        #expect(try server.stop() == .exit(0))
    }

    /// The kernel merges two pending signals.
    @Test func `many concurrent commands all get their outcome`() throws {
        let workspace = try Workspace()
        let server = try RunningServer(workspace)
        let arguments = ["reload", "--pid", "\(server.process.identifier)"].map { Array($0.utf8) }
        let commands = try (0..<5).map { _ in try ChildProcess(Deskgate.path, arguments) }
        for command in commands { #expect(try command.exitCode() == 0) }
        #expect(try server.stop() == .exit(0))
        let lines = try server.process.errors.text().split(separator: "\n")
        #expect(lines.filter { $0.contains("configuration reloaded") }.count >= commands.count)
    }

    /// A pipe without a writer blocks a reload, like a network file system that hangs.
    @Test func `a service that hangs is reported`() throws {
        let workspace = try Workspace()
        let server = try RunningServer(workspace)
        unsafe unlink(workspace.configuration)
        let made = unsafe mkfifo(workspace.configuration, 0o600)
        #expect(made == 0)
        let first = try reload(server, ["--timeout", "1"])
        #expect(first.code == 1)
        #expect(first.errors.contains("has taken SIGHUP, and has not finished the reload after 1 s"), "\(first.errors)")
        let second = try reload(server, ["--timeout", "1", "--json"], factor: 1)
        #expect(second.code == 1)
        #expect(try second.json.string("error") == "silent")
        // Opening and closing the pipe ends the wait with an empty configuration.
        close(unsafe open(workspace.configuration, O_WRONLY | O_CLOEXEC))
        server.process.send(SIGKILL)
        #expect(try server.process.waitForEnd() == .signal(SIGKILL))
    }

    @Test func `the end of the service is reported`() throws {
        let workspace = try Workspace()
        let server = try RunningServer(workspace)
        unsafe unlink(workspace.configuration)
        let made = unsafe mkfifo(workspace.configuration, 0o600)
        #expect(made == 0)
        let arguments = ["reload", "--pid", "\(server.process.identifier)"].map { Array($0.utf8) }
        let command = try ChildProcess(Deskgate.path, arguments)
        // The pipe opens for writing when the service has opened it for reading, which it does after it has received the signal.
        let pipe = unsafe open(workspace.configuration, O_WRONLY | O_CLOEXEC)
        server.process.send(SIGKILL)
        #expect(try command.exitCode() == 1)
        #expect(try command.errors.text().contains("ended during the reload; see its log"))
        close(pipe)
    }

    /// SIGHUP would end that program.
    @Test func `another program's process is not signalled`() throws {
        let other = try ChildProcess("sh", ["-c", "echo ready; exec sleep 600"].map { Array($0.utf8) })
        _ = try other.output.line(containing: "ready")
        let result = try Deskgate.run("reload", "--pid", "\(other.identifier)", "--timeout", "1")
        #expect(result.code == 2)
        #expect(result.errors.hasPrefix("deskgate: the process \(other.identifier) ("))
        #expect(result.errors.hasSuffix("was sent no signal; name the process that serves with --pid\n"))
        #expect(other.isRunning)
        other.send(SIGKILL)
        #expect(try other.waitForEnd() == .signal(SIGKILL))
    }

    /// No process has this number (pid_max in proc(5)).
    @Test func `no process is a failure`() throws {
        let result = try Deskgate.run("reload", "--pid", "4194304")
        #expect(result.code == 2)
        let message = "the process 4194304 cannot be asked to reload: No such process; name the process that serves with --pid"
        #expect(result.errors == "deskgate: \(message)\n")
    }

    /// The second user has no name, and its process has root's group.
    @Test(
        .enabled(if: geteuid() == 0, "only root may start a program as another user"),
        arguments: [
            ("daemon", "daemon; as root, or with sudo: runuser -u daemon -- deskgate reload --pid PID"),
            (
                "12345",
                "user 12345; as root, or with sudo: setpriv --reuid=12345 --regid=65534 --clear-groups deskgate reload --pid PID"
            ),
        ])
    func `another user's process is a failure with the command that works`(_ user: String, _ remedy: String) throws {
        let script = "echo ready; exec sleep 600"
        let other = try ChildProcess("setpriv", ["--reuid=\(user)", "--clear-groups", "sh", "-c", script].map { Array($0.utf8) })
        _ = try other.output.line(containing: "ready")
        let process = other.identifier
        let words = ["--bounding-set=-kill", "--inh-caps=-kill", Deskgate.path, "reload", "--pid", "\(process)"]
        let command = try ChildProcess("setpriv", words.map { Array($0.utf8) })
        #expect(try command.exitCode() == 2)
        let whole = "the process PID cannot be asked to reload: Operation not permitted; /proc/PID belongs to \(remedy)"
        #expect(try command.errors.text() == "deskgate: \(whole.replacing("PID", with: "\(process)"))\n")
        #expect(other.isRunning)
    }

    /// Without systemctl no unit is detected.
    @Test func `an undetected service must be given`() throws {
        let result = try Deskgate.run("reload", environment: ["PATH": "/nonexistent"])
        #expect(result.code == 2)
        let absence = ReloadCommand.absence(hasUnit: InitPlace.hasUnit, hasConfiguration: ConfigurationFile.isNamedOrUsual)
        #expect(result.errors == "deskgate: \(absence)\n")
    }

    @Test func `the start of a unit is suggested only if there is one`() {
        let (absence, remedy) = ("systemd knows no running deskgate.service; ", "name the process that serves with --pid")
        #expect(ReloadCommand.absence(hasUnit: false, hasConfiguration: true) == absence + remedy)
        let start = "systemctl start deskgate starts the service; or "
        #expect(ReloadCommand.absence(hasUnit: true, hasConfiguration: true) == absence + start + remedy)
    }

    @Test(arguments: [false, true]) func `without a configuration the command that creates one is suggested`(_ hasUnit: Bool) {
        let absence = "systemd knows no running deskgate.service; name the process that serves with --pid. "
        let remedy = "There is no /etc/deskgate/config.json: \(absenceRemedy("/etc/deskgate"))"
        #expect(ReloadCommand.absence(hasUnit: hasUnit, hasConfiguration: false) == absence + remedy)
    }

    @Test(arguments: [(4711, true, 4711), (4711, false, 4711), (nil, true, 1), (nil, false, nil)] as [(Int32?, Bool, Int32?)])
    func `the main process of the unit takes precedence over the first process`(_ main: Int32?, isFirst: Bool, service: Int32?) {
        #expect(ReloadCommand.service(systemd: main, isFirst: isFirst) == service)
    }

    @Test func `a service started with a relative path is reported with the absolute path`() throws {
        let workspace = try Workspace()
        let words = ["-c", "cd '\(workspace.directory.path)' && exec '\(Deskgate.path)' serve --config config.json"]
        let service = try ChildProcess("sh", words.map { Array($0.utf8) })
        _ = try service.errors.line(containing: "serving")
        let result = try Deskgate.run("reload", "--pid", "\(service.identifier)")
        #expect(result.output == "reloaded \(workspace.configuration): 1 app is in force\n")
        service.send(SIGTERM)
        #expect(try service.waitForEnd() == .exit(0))
    }

    @Test func `the manager is notified before the command ends`() throws {
        let workspace = try Workspace()
        let manager = try ServiceManager()
        let server = try RunningServer(configuration: workspace.configuration, environment: manager.environment)
        #expect(manager.next()?["READY"] == "1")
        try workspace.write("config.json", "{")
        #expect(try reload(server).code == 1)
        let reported = manager.waiting()
        // The signal is repeated if it is not handled within a second, so there may be more than one reload.
        #expect(reported.first?["RELOADING"] == "1")
        #expect(reported.last?["READY"] == "1")
        #expect(try server.stop() == .exit(0))
    }
}
