import JSON
import TestSupport
import Testing

/// `deskgate config show`
@Suite struct ConfigShowTests {
    @Test func `reports values and their sources`() throws {
        let workspace = try Workspace(["deliveries": ["keep_dead_days": 3], "push_tokens": [:]])
        let settings = try settings(workspace)
        #expect(settings["$.deliveries.keep_dead_days"] == ["file", 3])
        #expect(settings["$.deliveries.keep_delivered_days"] == ["default", 7])
        #expect(settings["$.shutdown.drain_seconds"] == ["default", 20])
        #expect(settings["$.log.level"] == ["file", "debug"])
        #expect(settings["$.store.type"] == ["default", "sqlite"])
        #expect(settings["$.store.path"] == ["default", .string(workspace.directory.path("deskgate.db"))])
        #expect(settings["$.notifiers"] == ["default", ["log": ["type": "log"]]])
        #expect(settings["$.apps[0].app_id"] == ["file", "app-1"])
        #expect(settings["$.apps[0].keys[0].state"] == ["default", "active"])
        let limit: JSONValue = ["per": "user", "max": 1, "window_seconds": 300]
        guard case .array(let limits)? = settings["$.push_tokens.limits"], case .array(let rules)? = limits.last else {
            Issue.record("the default limits are missing")
            return
        }
        #expect(rules.first == limit)
        // Members of an object have lines of their own.
        for path in ["$.listen", "$.apps", "$.apps[0]", "$.deliveries", "$.apps[0].keys"] { #expect(settings[path] == nil) }
        #expect(settings["$.apps[0].verify"] == nil)
    }

    @Test func `secrets are not shown`() throws {
        let secret = "whsec_" + String(repeating: "c2VjcmV0", count: 6)
        let workspace = try Workspace([
            "allow_insecure_secrets": true,
            "notifiers": ["backend": ["type": "http", "url": "https://events.test/hook/token-in-path", "secret": .string(secret)]],
        ])
        let settings = try settings(workspace)
        #expect(settings["$.notifiers.backend.secret"] == ["file", "•••"])
        #expect(settings["$.notifiers.backend.url"] == ["file", "https://events.test/•••"])
        #expect(settings["$.notifiers.backend.timeout_seconds"] == ["default", 20])
        #expect(settings["$.admin.token.file"] == ["file", "admin-token"])
        let text = try Deskgate.run("config", "show", "--config", workspace.configuration).output
        for hidden in [secret, "token-in-path"] + Markers.appSecrets + [Markers.adminToken] { #expect(!text.contains(hidden)) }
    }

    @Test func `the table has a line for each key`() throws {
        let workspace = try Workspace()
        let lines = try Deskgate.run("config", "show", "--config", workspace.configuration).output.split(separator: "\n")
        #expect(lines[0].wholeMatch(of: /KEY +FROM +VALUE/) != nil)
        #expect(lines.count == (try settings(workspace).count) + 1)
        #expect(lines.contains { $0.wholeMatch(of: /\$\.shutdown\.drain_seconds +default +20/) != nil })
        let changed = try Deskgate.run("config", "show", "--changed", "--config", workspace.configuration).output.split(separator: "\n")
        #expect(changed.dropFirst().allSatisfy { $0.contains(" file ") })
        #expect(changed.count == lines.dropFirst().filter { $0.contains(" file ") }.count + 1)
    }

    @Test func `mistakes are reported`() throws {
        let workspace = try Workspace(["log": ["level": "loud"]])
        let result = try Deskgate.run("config", "show", "--config", workspace.configuration)
        #expect(result.code == 2)
        #expect(result.output.isEmpty)
        #expect(result.errors.contains("$.log.level: expected one of "))
    }

    /// The source and the value by path.
    private func settings(_ workspace: Workspace) throws -> [String: JSONValue] {
        let json = try Deskgate.run("config", "show", "--json", "--config", workspace.configuration).json
        #expect(json.string("file") == workspace.configuration)
        var settings: [String: JSONValue] = [:]
        guard case .array(let list)? = json["settings"] else { return settings }
        for case .object(let setting) in list {
            #expect(settings[setting.string("path") ?? ""] == nil)
            settings[setting.string("path") ?? ""] = [setting["from"] ?? .null, setting["value"] ?? .null]
        }
        return settings
    }
}
