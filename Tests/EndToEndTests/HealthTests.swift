import JSON
import TestSupport
import Testing

/// `deskgate health`
@Suite struct HealthTests {
    private func ask(_ workspace: Workspace, _ options: String...) throws -> Deskgate.Result {
        try Deskgate.run(["health", "--config", workspace.configuration] + options)
    }

    @Test func `reports whether the service responds`() throws {
        let workspace = try Workspace(["listen": ["unix": "public.sock", "max_connections": 100]])
        let before = try ask(workspace)
        #expect(before.code == 1)
        #expect(before.errors.hasPrefix("deskgate: nothing answers at unix:\(workspace.directory.path("public.sock")): "))
        let server = try RunningServer(workspace)
        let alive = try ask(workspace)
        #expect(alive.code == 0)
        #expect(alive.output == "alive\n")
        #expect(try ask(workspace, "--ready", "--json").json == ["status": "ready"])
        #expect(try server.stop() == .exit(0))
        #expect(try ask(workspace, "--json").json.string("error") == "unreachable")
    }

    @Test func `a service with another address in force is not reported as stopped`() throws {
        let workspace = try Workspace(Workspace.unixListeners)
        let server = try RunningServer(workspace)
        try workspace.configure(["listen": ["unix": "other.sock", "max_connections": 100]])
        let result = try ask(workspace)
        #expect(result.code == 1)
        let remedy = "; the service does not run, or has another listen in force: deskgate doctor shows which\n"
        #expect(result.errors.hasPrefix("deskgate: nothing answers at unix:\(workspace.directory.path("other.sock")): "))
        #expect(result.errors.hasSuffix(remedy))
        #expect(try server.stop() == .exit(0))
    }

    @Test func `reports that the store is unavailable`() throws {
        let workspace = try Workspace([
            "listen": ["unix": "public.sock", "max_connections": 100],
            "store": ["type": "sqlite", "path": "deskgate.db", "minimum_free_megabytes": 1_000_000],
        ])
        let server = try RunningServer(workspace)
        #expect(try ask(workspace).code == 0)
        let ready = try ask(workspace, "--ready")
        #expect(ready.code == 1)
        #expect(ready.output == "not_ready (authorization: ready)\n")
        #expect(try server.stop() == .exit(0))
    }

    @Test(arguments: [[], ["--ready"]]) func `another program at the address is not taken for the service`(_ options: [String]) throws {
        let stranger = try ScriptedServer(.everyRequest(.respond(200, body: "OK")))
        defer { stranger.stop() }
        let workspace = try Workspace(["listen": Workspace.listener(port: stranger.port)])
        let words = ["health", "--config", workspace.configuration] + options
        let result = try Deskgate.run(words)
        #expect(result.code == 1)
        #expect(result.output.isEmpty)
        #expect(result.errors.hasPrefix("deskgate: a program other than Deskgate responds at 127.0.0.1:\(stranger.port) "))
        #expect(try Deskgate.run(words + ["--json"]).json.string("error") == "stranger")
    }

    @Test func `sends no request if the system chooses the port`() throws {
        let result = try ask(Workspace())
        #expect(result.code == 1)
        #expect(result.errors == "deskgate: the system chooses the port; give listen.port a number\n")
    }
}
