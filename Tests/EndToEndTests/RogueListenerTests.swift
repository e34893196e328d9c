import Glibc
import HTTPServer
import JSON
import TestSupport
import Testing

/// Commands and their listener: a process that only occupies the listener's address learns nothing.
@Suite struct RogueListenerTests {
    private static func admin(_ address: JSONObject) -> JSONObject {
        var admin: JSONObject = ["max_connections": 100, "token": ["file": "admin-token"]]
        for member in address.members { admin.append(member.value, forKey: member.key) }
        return ["admin": .object(admin)]
    }

    /// The service is stopped, and another user's program uses its port.
    @Test func `the token is never sent to another program`() throws {
        let workspace = try Workspace()
        #expect(try RunningServer(configuration: workspace.configuration).stop() == .exit(0))
        let rogue = try ScriptedServer(.everyRequest(.respond(200, body: #"{"deliveries":[],"proofs":["x"]}"#)))
        defer { rogue.stop() }
        try workspace.configure(Self.admin(["port": .integer(Int64(rogue.port))]))
        for words in [["deliveries", "list"], ["deliveries", "purge", "--state", "dead"], ["tokens", "list", "--app", Workspace.app]] {
            let result = try Deskgate.run(words + ["--config", workspace.configuration])
            #expect(result.code == 0, "\(words)")
            let stranger = "deskgate: 127.0.0.1:\(rogue.port) is held by a process that has not proven to know the admin token "
            #expect(result.errors.hasPrefix(stranger), "\(words)")
        }
        #expect(rogue.requests.count == 3)
        for request in rogue.requests {
            #expect(request.target.hasPrefix("/v1/listener-proof?nonce="))
            #expect(request.header("Authorization") == nil)
            #expect(!"\(request)".contains(Markers.adminToken))
        }
    }

    /// The service runs, but the command uses the wrong port: the error reports both the foreign process and the store in use.
    @Test func `a foreign listener is reported although the service runs`() throws {
        let workspace = try Workspace()
        let server = try RunningServer(workspace)
        let rogue = try ScriptedServer(.everyRequest(.respond(404)))
        defer { rogue.stop() }
        try workspace.configure(Self.admin(["port": .integer(Int64(rogue.port))]))
        let result = try Deskgate.run("deliveries", "list", "--config", workspace.configuration)
        #expect(result.code != 0)
        #expect(
            result.errors.hasPrefix("deskgate: 127.0.0.1:\(rogue.port) is held by a process that has not proven to know the admin token"))
        let store = workspace.directory.path("deskgate.db")
        #expect(result.errors.hasSuffix("; \(store) is used by process \(server.process.identifier) (deskgate)\n"))
        #expect(try server.stop() == .exit(0))
    }

    @Test func `every command works over a Unix socket`() throws {
        let workspace = try Workspace(Self.admin(["unix": "admin.sock"]))
        let server = try RunningServer(workspace)
        for words in [["deliveries", "list"], ["deliveries", "purge", "--state", "dead"], ["tokens", "list", "--app", Workspace.app]] {
            let result = try Deskgate.run(words + ["--config", workspace.configuration])
            #expect(result.code == 0, "\(words)")
            #expect(result.errors.isEmpty, "\(words)")
        }
        let removed = try Deskgate.run("tokens", "remove", "--config", workspace.configuration, "--app", Workspace.app, "--user", "nobody")
        #expect(removed.errors.isEmpty)
        #expect(try server.stop() == .exit(0))
    }
}
