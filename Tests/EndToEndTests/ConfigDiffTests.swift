import JSON
import TestSupport
import Testing

/// `deskgate config show --running` and `--diff`
@Suite struct ConfigDiffTests {
    /// The listeners by which commands find the service, for any other content of the file.
    private static let listeners: JSONObject = [
        "listen": ["unix": "public.sock", "max_connections": 100],
        "admin": ["unix": "admin.sock", "max_connections": 100, "token": ["file": "admin-token"]],
    ]

    private let workspace: Workspace

    init() throws {
        workspace = try Workspace(Self.listeners)
    }

    private func configure(_ changes: JSONObject) throws {
        var members = Self.listeners
        for member in changes.members {
            members = JSONObject(members.members.filter { $0.key != member.key }.map { ($0.key, $0.value) })
            members.append(member.value, forKey: member.key)
        }
        try workspace.configure(members)
    }

    private func diff(_ words: String...) throws -> (code: Int32, output: String, errors: String) {
        let result = try Deskgate.run(["config", "show", "--diff"] + words + ["--config", workspace.configuration])
        return (result.code, result.output, result.errors)
    }

    @Test func `differences are reported until they are applied`() throws {
        let server = try RunningServer(workspace)
        let same = try diff()
        #expect(same.code == 0)
        #expect(same.errors.isEmpty)
        #expect(same.output.hasPrefix("The service has had its configuration since 20"))
        #expect(same.output.hasSuffix(", from \(workspace.configuration).\nThe file says the same.\n"))

        try configure(["log": ["level": "info"]])
        let live = try diff()
        #expect(live.code == 1)
        #expect(live.output.contains("\ndeskgate reload takes this over:\n"))
        #expect(
            live.output.split(separator: "\n").last.map { $0.split(separator: " ").map(String.init) }
                == ["$.log.level", "reload", "\"debug\"", "\"info\""])
        let running = try Deskgate.run("config", "show", "--running", "--config", workspace.configuration).output
        let file = try Deskgate.run("config", "show", "--config", workspace.configuration).output
        #expect(running.contains(/\n\$\.log\.level +file +"debug"\n/))
        #expect(file.contains(/\n\$\.log\.level +file +"info"\n/))
        server.process.send(1)
        _ = try server.process.errors.line(containing: "configuration reloaded")
        #expect(try diff().code == 0)
        #expect(try server.stop() == .exit(0))
    }

    @Test func `a refusal is reported before and after the reload`() throws {
        let server = try RunningServer(workspace)
        try configure(["log": ["level": "debug", "format": "text"], "shutdown": ["drain_seconds": 5]])
        let before = try diff()
        #expect(before.code == 1)
        #expect(
            before.output.contains(
                "\nA reload would be refused as a whole, because only a restart takes over $.log.format, $.shutdown.drain_seconds.\n"))
        server.process.send(1)
        _ = try server.process.errors.line(containing: "configuration not reloaded")
        #expect(try diff().output.contains("The last reload was refused at 20"))
        #expect(try diff().output.contains(": $.log.format: cannot change while serving; restart\n"))
        let json = try jsonObject(diff("--json").output)
        #expect(json["restart"] == ["$.log.format", "$.shutdown.drain_seconds"])
        #expect(json["problems"] == [])
        guard case .object(let refused)? = json["refused"] else { throw ChildProcess.Failure.missingOutput }
        #expect(refused.integer("count") == 2)
        #expect(try server.stop() == .exit(0))
    }

    @Test func `status reports that the file's port needs a restart`() throws {
        let server = try RunningServer(workspace)
        func status() throws -> String { try Deskgate.run("status", "--config", workspace.configuration).output }
        #expect(try !status().contains("differs from what is in force"))
        try configure(["listen": ["host": "127.0.0.1", "port": 1]])
        #expect(
            try status().contains(
                "\n\(workspace.configuration) differs from what is in force (deskgate config show --diff). A reload would be refused as a "
                    + "whole, because only a restart takes over $.listen."))
        #expect(try server.stop() == .exit(0))
    }

    /// The service reads the file itself, as its own user and with its own environment.
    @Test func `secrets are compared and not shown`() throws {
        let server = try RunningServer(workspace)
        let secret = String(try Deskgate.run("secret", "new").output.dropLast())
        try workspace.write("app-1.key", secret, mode: 0o600)
        let changed = try diff()
        #expect(changed.code == 1)
        #expect(changed.output.contains(/\n\$\.apps\[0\]\.keys\[0\]\.secret\.file +reload +"app-1\.key" +"app-1\.key" \(its content\)\n/))
        #expect(!changed.output.contains(secret))
        #expect(!changed.output.contains(Markers.appSecrets[0]))
        try workspace.write("app-1.key", "too short", mode: 0o600)
        let result = try diff()
        #expect(result.code == 1)
        #expect(result.output.contains("\nA reload would be refused now, as the file has mistakes:\n  $.apps[0].keys[0].secret"))
        #expect(result.errors.contains(" has mistakes, and the running service is called anyway: $.apps[0].keys[0].secret"))
        #expect(try server.stop() == .exit(0))
    }

    @Test func `mistakes of the services file are reported`() throws {
        let server = try RunningServer(workspace)
        let copy = try workspace.read("config.json")
        try workspace.write("other.json", copy)
        try configure(["log": ["level": "loud"]])
        let result = try Deskgate.run("config", "show", "--diff", "--config", workspace.directory.path("other.json"))
        #expect(result.code == 1)
        let other = "\(workspace.directory.path("other.json")) is not compared; it says only where the service is, which reads "
        #expect(result.errors == "deskgate: warning: \(other)\(workspace.configuration)\n")
        #expect(result.output.contains("\nA reload would be refused now, as the file has mistakes:\n  $.log.level: expected one of "))
        #expect(try server.stop() == .exit(0))
    }

    @Test func `without a service the difference is unknown`() throws {
        for option in ["--diff", "--running"] {
            let result = try Deskgate.run("config", "show", option, "--config", workspace.configuration)
            #expect(result.code == 2)
            #expect(result.output.isEmpty)
            #expect(result.errors.contains("no service answers at unix:\(workspace.directory.path("admin.sock"))"))
        }
        let both = try Deskgate.run("config", "show", "--diff", "--running", "--config", workspace.configuration)
        #expect(both.code == 2)
        #expect(both.errors.contains("--running: does not go with --diff"))
    }
}
