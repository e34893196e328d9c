import Glibc
import JSON
import TestSupport
import Testing
import Time

@Suite struct ShadowModeStoryTests {
    private static func configuration(shadowUntil end: Int64?) -> JSONObject {
        guard case .object(var app) = Workspace.app(1) else { return [:] }
        if let end { app.append(.integer(end), forKey: "shadow_until") }
        let admin: JSONValue = ["unix": "admin.sock", "max_connections": 100, "token": ["file": "admin-token"]]
        return ["apps": [.object(app)], "admin": admin]
    }

    @Test func `shadow mode is enabled, observed and disabled`() throws {
        let workspace = try Workspace(Self.configuration(shadowUntil: Int64(SystemClock.unixSeconds().rawValue) + 86_400))
        let server = try RunningServer(workspace)
        let line = try server.process.errors.line(containing: "$.apps[0].shadow_until")
        #expect(try jsonObject(line.text).string("level") == "warning")
        let key = try workspace.key()
        #expect(try server.authorize(wellFormedKey).status == 200)
        #expect(try server.authorize(key, user: Markers.otherUser).status == 200)
        #expect(try server.authorize(key, app: "app-2").status == 403)
        let denial = try jsonObject(server.process.errors.line(containing: "wrong_mac").text)
        #expect(denial.string("result") == "shadowed")
        #expect(denial.string("user_ref")?.utf8.count == 12)
        let status = try Deskgate.run("status", "--config", workspace.configuration)
        #expect(status.code == 0)
        #expect(status.output.hasPrefix("Warning: The configuration warns of $.apps[0].shadow_until: until 2"))
        #expect(status.output.contains(" are answered 200.\nRemedy: Remove it to deny again.\n"))
        try workspace.configure(Self.configuration(shadowUntil: nil))
        server.process.send(SIGHUP)
        _ = try server.process.errors.line(containing: "configuration reloaded")
        #expect(try server.authorize(wellFormedKey).status == 403)
        #expect(try server.authorize(key).status == 200)
        #expect(try !Deskgate.run("status", "--config", workspace.configuration).output.contains("Warning"))
        #expect(try server.stop() == .exit(0))
    }
}
