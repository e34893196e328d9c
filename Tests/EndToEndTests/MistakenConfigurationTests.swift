import JSON
import TestSupport
import Testing

/// Commands with a running service after its configuration file got a mistake.
@Suite struct MistakenConfigurationTests {
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace(Self.members())
    }

    private static func members(
        _ mistakes: JSONObject = [:], admin: JSONValue = ["unix": "admin.sock", "max_connections": 100, "token": ["file": "admin-token"]]
    ) -> JSONObject {
        var members = mistakes
        let parts: JSONObject = [
            "listen": ["unix": "public.sock", "max_connections": 100], "admin": admin, "store": ["path": "deskgate.db"],
        ]
        for part in parts.members where mistakes[part.key] == nil { members.append(part.value, forKey: part.key) }
        return members
    }

    private func run(_ words: [String]) throws -> Deskgate.Result {
        try Deskgate.run(words + ["--config", workspace.configuration])
    }

    private static let level = #"$.log.level: expected one of "debug", "info", "warning", "error""#

    private func warning(_ problems: String) -> String {
        "deskgate: warning: \(workspace.configuration) has mistakes, and the running service is called anyway: \(problems)\n"
    }

    @Test func `commands to the service continue and warn in one line`() throws {
        let server = try RunningServer(workspace)
        try workspace.configure(Self.members(["log": ["level": "loud"]]))
        for words in [
            ["status"], ["deliveries", "list"], ["deliveries", "list", "--all"], ["deliveries", "retry", "--all"],
            ["tokens", "list", "--app", Workspace.app], ["config", "show", "--running"], ["revocations", "list"],
            ["users", "show", "--app", Workspace.app, "--user", "nobody"], ["health"], ["health", "--ready"],
        ] {
            let result = try run(words)
            #expect(result.code == 0, "\(words)")
            #expect(result.errors == warning(Self.level), "\(words)")
        }
        #expect(try run(["explain", "--app", Workspace.app, "--user", "nobody"]).errors == warning(Self.level))
        #expect(try run(["find", "nobody"]).errors == warning(Self.level))
        let difference = try run(["config", "show", "--diff"])
        #expect(difference.code == 1)
        #expect(difference.output.contains("\nA reload would be refused now, as the file has mistakes:\n"))
        let blocked = try run(["users", "block", "--app", Workspace.app, "--user", Markers.user, "--reason", "abuse"])
        #expect(blocked.code == 0)
        #expect(try server.stop() == .exit(0))
    }

    @Test func `a surplus comma is a mistake as well`() throws {
        let server = try RunningServer(workspace)
        let text = try workspace.read("config.json")
        let end = try #require(text.lastIndex(of: "}"))
        try workspace.write("config.json", "\(text[..<end]),}")
        let result = try run(["status"])
        #expect(result.code == 0)
        #expect(result.errors.hasPrefix("deskgate: warning: \(workspace.configuration) has mistakes, "))
        #expect(result.errors.hasSuffix(": not valid JSON: a comma too many before }; remove it\n"))
        #expect(try server.stop() == .exit(0))
    }

    @Test func `commands that need the whole configuration are rejected`() throws {
        let server = try RunningServer(workspace)
        try workspace.configure(Self.members(["log": ["level": "loud"]]))
        for words in [["key", "mint", "--app", Workspace.app, "--user", "u"], ["config", "show"], ["check"], ["store", "migrate"]] {
            let result = try run(words)
            #expect(result.code == 2, "\(words)")
            #expect(result.output.isEmpty, "\(words)")
            #expect(result.errors.withoutPlaces == "\(workspace.configuration): \(Self.level)\n", "\(words)")
        }
        #expect(try server.stop() == .exit(0))
    }

    @Test func `commands that only read the store continue and warn in one line`() throws {
        #expect(try RunningServer(workspace).stop() == .exit(0))
        try workspace.configure(Self.members(["log": ["level": "loud"]]))
        let warning = "deskgate: warning: \(workspace.configuration) has mistakes, and the store is read anyway: \(Self.level)\n"
        let status = try run(["store", "status"])
        #expect(status.code == 0)
        #expect(status.output.contains(workspace.directory.path("deskgate.db")))
        #expect(status.errors == warning)
        let backup = try run(["store", "backup", workspace.directory.path("backup.db")])
        #expect(backup.code == 0)
        #expect(backup.errors == warning)
        #expect(try Command("test", "-s", workspace.directory.path("backup.db")).status == 0)
    }

    /// A backup of the database at the default path could be one of another database.
    @Test func `a mistake in the store's settings keeps commands from the store`() throws {
        #expect(try RunningServer(workspace).stop() == .exit(0))
        let backup = workspace.directory.path("backup.db")
        let (other, admin): (JSONValue, JSONValue) = (["path": "other.db"], ["file": "admin-token"])
        for (members, problem) in [
            (["store": ["pth": "other.db"]] as JSONObject, "$.store.pth: "), (["stor": other], "$.stor: "),
            (["admin": ["token": admin, "store": other]], "$.admin.store: "),
        ] {
            try workspace.configure(members)
            for words in [["store", "status"], ["store", "backup", backup]] {
                let result = try run(words)
                #expect(result.code == 2, "\(words) \(problem)")
                #expect(result.errors.withoutPlaces.hasPrefix("\(workspace.configuration): \(problem)"), "\(words)")
            }
        }
        #expect(try Command("test", "-e", backup).status == 1)
    }

    @Test func `a missing store is reported among mistakes`() throws {
        #expect(try RunningServer(workspace).stop() == .exit(0))
        let admin: JSONValue = ["unix": "admin.sock", "token": ["file": "admin-token"]]
        try workspace.configure(["listen": ["unix": "public.sock"], "admin": admin, "log": ["level": "loud"]])
        let reason = "$.store is not in the file, and among mistakes its default is not taken"
        let backup = workspace.directory.path("backup.db")
        for words in [["store", "status"], ["store", "backup", backup]] {
            let result = try run(words)
            #expect(result.code == 2, "\(words)")
            #expect(result.errors.hasSuffix("\n\(reason); correct the mistakes first\n"), "\(words)")
        }
        #expect(try Command("test", "-e", backup).status == 1)
        let omission = "not checked, because \(reason); correct the mistakes of the configuration first"
        #expect(try run(["doctor"]).output.contains("\nWARNING store: \(omission)\n"))
    }

    @Test func `doctor checks the valid parts and lists the skipped checks`() throws {
        let server = try RunningServer(workspace)
        try workspace.configure(Self.members(["log": ["level": "loud"]]))
        let result = try run(["doctor"])
        #expect(result.code == 2)
        let lines = result.output.split(separator: "\n").map(String.init)
        #expect(lines.contains { String($0).withoutPlaces == "PROBLEM configuration: \(workspace.configuration): \(Self.level)" })
        #expect(lines.contains("OK      ports: the service answers on \(server.publicAddress) and is ready"), "\(result.output)")
        #expect(lines.contains("OK      service: the service that runs finds nothing wrong"), "\(result.output)")
        #expect(lines.contains("OK      store: no page of \(workspace.directory.path("deskgate.db")) is damaged"), "\(result.output)")
        let omission = "not checked, because this check needs the whole configuration; correct the mistakes of the configuration first"
        for check in ["limits", "unit", "dns", "providers"] {
            #expect(lines.contains("WARNING \(check): \(omission)"), "\(check)")
        }
        #expect(try server.stop() == .exit(0))
    }

    @Test func `doctor skips a part with a mistake`() throws {
        let server = try RunningServer(workspace)
        try workspace.configure(
            Self.members(["store": ["pth": "other.db"]], admin: ["unix": "admin.sock", "token": ["file": "missing"]]))
        let output = try run(["doctor"]).output
        #expect(output.contains("\nOK      ports: the service answers on \(server.publicAddress) and is ready\n"), "\(output)")
        for (check, part) in [("service", "admin"), ("store", "store")] {
            let omission = "not checked, because \(part) cannot be read; correct the mistakes of the configuration first"
            #expect(output.contains("\nWARNING \(check): \(omission)\n"), "\(output)")
        }
        #expect(try server.stop() == .exit(0))
    }

    @Test func `three of many mistakes are shown`() throws {
        let server = try RunningServer(workspace)
        try workspace.configure(Self.members(["log": ["level": "loud", "format": "xml"], "shutdown": ["drain_seconds": -1], "bots": 1]))
        let errors = try run(["deliveries", "list"]).errors
        #expect(errors.count { $0 == "\n" } == 1)
        #expect(errors.hasSuffix("; and 1 more, which deskgate check lists\n"))
        #expect(try server.stop() == .exit(0))
    }

    @Test func `without a proof of the service all mistakes are reported`() throws {
        try workspace.configure(Self.members(["log": ["level": "loud"]]))
        for words in [["status"], ["deliveries", "list"], ["health"]] {
            let result = try run(words)
            #expect(result.code == 2, "\(words)")
            #expect(result.errors.withoutPlaces == "\(workspace.configuration): \(Self.level)\n", "\(words)")
        }
    }

    private static let unasked =
        "No service was called, because admin cannot be read; a running service keeps its configuration. Correct the mistakes listed "
        + "above"
    private static let copying =
        ", or copy admin, and allow_insecure_secrets if it is set, to another file in the same directory, and name the copy with --config FILE"

    @Test func `after invalid JSON before admin, a file with only admin leads to the service`() throws {
        let server = try RunningServer(workspace)
        try workspace.write("config.json", "{\n  'log': {},\n" + (try workspace.read("config.json").dropFirst()))
        let result = try run(["status"])
        #expect(result.code == 2)
        #expect(result.errors.hasPrefix("\(workspace.configuration):2:3: not valid JSON: "), "\(result.errors)")
        #expect(result.errors.hasSuffix("\n\(Self.unasked)\(Self.copying)\n"))
        try workspace.write("admin.json", #"{"admin": {"unix": "admin.sock", "token": {"file": "admin-token"}}}"#)
        let status = try Deskgate.run("status", "--config", workspace.directory.path("admin.json"))
        #expect(status.code == 0)
        #expect(status.output.contains(" is ready."))
        #expect(status.errors == "")
        #expect(try server.stop() == .exit(0))
        let stopped = try Deskgate.run("deliveries", "list", "--config", workspace.directory.path("admin.json"))
        #expect(stopped.code == 2)
        #expect(stopped.errors.contains("no service answers at unix:"))
    }

    @Test func `a missing file causes no hint about the service`() throws {
        let file = workspace.directory.path("missing.json")
        let problem = "\(file): $: no such file; \(absenceRemedy(workspace.directory.path))\n"
        #expect(try Deskgate.run("status", "--config", file).errors == problem)
    }

    /// The listener's single connection is in use.
    @Test func `health reports a refusal of the service and the mistakes`() throws {
        let listeners: JSONObject = ["listen": ["unix": "public.sock", "max_connections": 1], "admin": ["unix": "admin.sock"]]
        let workspace = try Workspace(listeners)
        let server = try RunningServer(workspace)
        let client = try SocketClient(server.publicAddress)
        // The server would close an idle connection for the command's.
        try client.send("POST /pyrus/authorize HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
        #expect(try client.readResponse().status == 100)
        var mistaken = listeners
        mistaken.append(["level": "loud"], forKey: "log")
        try workspace.configure(mistaken)
        let health = try Deskgate.run("health", "--config", workspace.configuration)
        #expect(health.code == 1)
        #expect(health.errors.hasPrefix("deskgate: warning: \(workspace.configuration) has mistakes, "))
        let refusal = "the listener at \(server.publicAddress) refuses the request (too_many_connections); deskgate status shows why"
        #expect(health.errors.hasSuffix("\ndeskgate: \(refusal)\n"))
        try client.send("{}")
        _ = try client.readResponse()
        #expect(try server.stop() == .exit(0))
    }

    @Test func `a mistake in the admin listener keeps commands from it`() throws {
        let server = try RunningServer(workspace)
        try workspace.configure(
            Self.members(admin: ["unix": "admin.sock", "max_connections": 100, "token": ["file": "admin-token"], "tokns": []]))
        let result = try run(["deliveries", "list"])
        #expect(result.code == 2)
        let problem = "$.admin.tokns: unknown key; did you mean \"tokens\"?"
        #expect(result.errors.withoutPlaces == "\(workspace.configuration): \(problem)\n\(Self.unasked)\n")
        let health = try run(["health"])
        #expect(health.code == 0)
        #expect(health.output == "alive\n")
        #expect(try server.stop() == .exit(0))
    }
}
