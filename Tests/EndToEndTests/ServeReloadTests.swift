import Glibc
import JSON
import TestSupport
import Testing

/// `deskgate serve`: SIGHUP applies a new configuration completely or not at all.
@Suite struct ServeReloadTests {
    private static let twoApps: JSONObject = ["apps": [Workspace.app(1), Workspace.app(2)]]

    @Test func `a new app is served at once`() throws {
        let workspace = try Workspace()
        let server = try RunningServer(workspace)
        let oldKey = try workspace.key()
        try workspace.configure(Self.twoApps)
        let newKey = try workspace.key(app: "app-2")
        #expect(try server.authorize(newKey, app: "app-2").status == 403)
        server.process.send(SIGHUP)
        _ = try server.process.errors.line(containing: "configuration reloaded")
        #expect(try server.authorize(newKey, app: "app-2").status == 200)
        #expect(try server.authorize(oldKey).status == 200)
        #expect(try server.stop() == .exit(0))
    }

    @Test func `a retired key is denied at once`() throws {
        let workspace = try Workspace()
        let server = try RunningServer(workspace)
        let key = try workspace.key()
        let client = try SocketClient(server.publicAddress)
        #expect(try client.authorize(key).status == 200)
        try workspace.configure(["apps": [Workspace.app(1, keyID: 2)]])
        server.process.send(SIGHUP)
        _ = try server.process.errors.line(containing: "configuration reloaded")
        #expect(try client.authorize(key).status == 403)
        #expect(try server.stop() == .exit(0))
    }

    @Test(arguments: ["", "{", "{\"apps\": []}", "{\"listen\": 1, \"unknown\": 2}"])
    func `an invalid file changes nothing and is reported`(_ text: String) throws {
        let workspace = try Workspace()
        let server = try RunningServer(workspace)
        let key = try workspace.key()
        try workspace.write("config.json", text)
        server.process.send(SIGHUP)
        _ = try server.process.errors.line(containing: "configuration not reloaded")
        #expect(try server.authorize(key).status == 200)
        try workspace.configure(Self.twoApps)
        server.process.send(SIGHUP)
        _ = try server.process.errors.line(containing: "configuration reloaded")
        #expect(try server.authorize(workspace.key(app: "app-2"), app: "app-2").status == 200)
        #expect(try server.stop() == .exit(0))
    }

    @Test func `a missing secret changes nothing`() throws {
        let workspace = try Workspace()
        let server = try RunningServer(workspace)
        let key = try workspace.key()
        try workspace.configure(Self.twoApps)
        unsafe unlink(workspace.directory.path("app-2.key"))
        server.process.send(SIGHUP)
        let line = try server.process.errors.line(containing: "configuration not reloaded").text
        let reason = try #require(jsonObject(line).string("reason"))
        #expect(reason.hasPrefix("\(workspace.configuration):"))
        #expect(reason.contains(#": $.apps[1].keys[0].secret.file (app_id "app-2"): cannot read "#))
        #expect(try server.authorize(key).status == 200)
        #expect(try server.stop() == .exit(0))
    }

    @Test func `a change that needs a restart is rejected as a whole`() throws {
        let workspace = try Workspace()
        let server = try RunningServer(workspace)
        var changes = Self.twoApps
        changes.append(["drain_seconds": 5], forKey: "shutdown")
        changes.append(["level": "info", "format": "text"], forKey: "log")
        try workspace.configure(changes)
        server.process.send(SIGHUP)
        let first = try server.process.errors.line(containing: "configuration not reloaded")
        let second = try server.process.errors.line(containing: "configuration not reloaded", from: first.number + 1)
        for (line, key) in [(first, "$.log.format"), (second, "$.shutdown.drain_seconds")] {
            let reason = try #require(jsonObject(line.text).string("reason"))
            #expect(reason.hasPrefix("\(workspace.configuration):"))
            #expect(reason.contains(/:\d+:\d+: \$/))
            #expect(reason.hasSuffix(": \(key): cannot change while serving; restart"))
        }
        #expect(try server.authorize(workspace.key(app: "app-2"), app: "app-2").status == 403)
        #expect(try server.stop() == .exit(0))
    }

    @Test func `many signals lose no request`() throws {
        let workspace = try Workspace()
        let server = try RunningServer(workspace)
        let key = try workspace.key()
        let client = try SocketClient(server.publicAddress)
        for _ in 0..<100 {
            server.process.send(SIGHUP)
            #expect(try client.authorize(key).status == 200)
        }
        #expect(try server.stop() == .exit(0))
    }
}
