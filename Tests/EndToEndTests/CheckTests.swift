import JSON
import TestSupport
import Testing
import Time

/// `deskgate check`
@Suite struct CheckTests {
    @Test func `a valid configuration is confirmed in a sentence`() throws {
        let workspace = try Workspace(["apps": [Workspace.app(1), Workspace.app(2)]])
        let result = try Deskgate.run("check", "--config", workspace.configuration)
        #expect(result.code == 0)
        #expect(result.output == "\(workspace.configuration) is valid: 2 apps, public on 127.0.0.1:0, admin on 127.0.0.1:0\n")
        #expect(result.errors.isEmpty)
    }

    @Test func `a valid configuration is confirmed in JSON`() throws {
        let workspace = try Workspace()
        let result = try Deskgate.run("check", "--config", workspace.configuration, "--json")
        #expect(result.code == 0)
        #expect(
            try result.json == [
                "status": "valid", "public": "127.0.0.1:0", "admin": "127.0.0.1:0", "apps": ["app-1"], "problems": [], "warnings": [],
            ])
    }

    @Test func `an unencrypted admin listener causes a warning`() throws {
        let workspace = try Workspace(["admin": ["host": "0.0.0.0", "port": 0, "token": ["file": "admin-token"]]])
        let result = try Deskgate.run("check", "--config", workspace.configuration)
        #expect(result.code == 0)
        #expect(
            result.errors.hasPrefix(
                "\(workspace.configuration): warning: $.admin.tls: missing, and 0.0.0.0:0 is reached from other machines"))
        let json = try Deskgate.run("check", "--config", workspace.configuration, "--json")
        #expect(json.errors.isEmpty)
        guard case .array(let warnings)? = try json.json["warnings"] else { throw ChildProcess.Failure.missingOutput }
        #expect(warnings.count == 1)
    }

    @Test func `an active and an expired shadow mode cause warnings`() throws {
        let now = Int64(SystemClock.unixSeconds().rawValue)
        func configuration(_ end: Int64) -> JSONObject {
            guard case .object(var app) = Workspace.app(1) else { return [:] }
            app.append(.integer(end), forKey: "shadow_until")
            return ["apps": [.object(app)]]
        }
        let workspace = try Workspace(configuration(now + 86_400))
        func warnings() throws -> String { try Deskgate.run("check", "--config", workspace.configuration).errors }
        let place = "\(workspace.configuration): warning: $.apps[0].shadow_until (app_id \"app-1\"): "
        #expect(try warnings().hasPrefix("\(place)until 2"))
        try workspace.configure(configuration(now - 86_400))
        #expect(try warnings().hasPrefix("\(place)ended at 2"))
        try workspace.configure(configuration(now + 91 * 86_400))
        let refused = try Deskgate.run("check", "--config", workspace.configuration)
        #expect(refused.code == 2)
        let problem = "$.apps[0].shadow_until (app_id \"app-1\"): expected at most "
        #expect(refused.errors.withoutPlaces.hasPrefix("\(workspace.configuration): \(problem)"))
    }

    @Test func `rejects files that others may change`() throws {
        let workspace = try Workspace()
        try workspace.write("app-1.key", Markers.appSecrets[0], mode: 0o622)
        let result = try Deskgate.run("check", "--config", workspace.configuration)
        #expect(result.code == 2)
        #expect(result.errors.contains("app-1.key can be changed by others (mode 0622); run chmod go-w on it"))
    }

    @Test func `listeners that share an address are rejected`() throws {
        let workspace = try Workspace(["listen": ["port": 9090], "admin": ["host": "0.0.0.0"]])
        let result = try Deskgate.run("check", "--config", workspace.configuration)
        #expect(result.code == 2)
        let problem = "$.admin.port: 0.0.0.0:9090 is taken by $.listen, which has 127.0.0.1:9090; give one of them another port"
        #expect(result.errors.withoutPlaces == "\(workspace.configuration): \(problem)\n")
    }

    private static let wrong: JSONObject = [
        "listen": ["port": 70_000, "hots": "::1"],
        "apps": [["app_id": "app-1", "keys": [["id": 1, "secret": .string(Markers.stray)]]], ["app_id": "app-2"]],
    ]

    @Test func `every mistake is listed in the text`() throws {
        let workspace = try Workspace(Self.wrong)
        let result = try Deskgate.run("check", "--config", workspace.configuration)
        #expect(result.code == 2)
        #expect(result.output.isEmpty)
        let lines = result.errors.split(separator: "\n")
        #expect(lines.count == 4)
        #expect(lines.allSatisfy { String($0).withoutPlaces.hasPrefix("\(workspace.configuration): $.") })
        #expect(result.errors.contains(": $.listen.hots: unknown key; did you mean \"host\"?\n"))
        #expect(result.errors.contains(": $.apps[1].keys (app_id \"app-2\"): missing; give "))
        #expect(!result.errors.contains(Markers.prefix))
    }

    @Test func `every path is listed in JSON`() throws {
        let workspace = try Workspace(Self.wrong)
        let result = try Deskgate.run("check", "--config", workspace.configuration, "--json")
        #expect(result.code == 2)
        #expect(result.errors.isEmpty)
        let json = try result.json
        #expect(json.string("status") == "invalid")
        guard case .array(let problems) = json["problems"] else { throw ChildProcess.Failure.missingOutput }
        let paths = problems.map { problem in
            if case .object(let problem) = problem { problem.string("path") ?? "" } else { "" }
        }
        #expect(Set(paths) == ["$.listen.hots", "$.listen.port", "$.apps[0].keys[0].secret", "$.apps[1].keys"])
    }

    @Test func `a missing configuration is reported`() throws {
        let result = try Deskgate.run("check", "--config", "/nonexistent/config.json")
        #expect(result.code == 2)
        #expect(result.errors == "/nonexistent/config.json: $: no such file; \(absenceRemedy("/nonexistent"))\n")
    }

    @Test func `secrets can be environment variables`() throws {
        let keys: JSONValue = [["id": 1, "secret": ["env": "DESKGATE_END_TO_END_SECRET"]]]
        let workspace = try Workspace(["apps": [["app_id": "app-1", "keys": keys]]])
        let words = ["check", "--config", workspace.configuration]
        #expect(try Deskgate.run(words, environment: ["DESKGATE_END_TO_END_SECRET": Markers.appSecrets[0]]).code == 0)
        let unset = try Deskgate.run(words)
        #expect(unset.code == 2)
        #expect(
            unset.errors.hasSuffix(
                "the environment variable DESKGATE_END_TO_END_SECRET is not set; set it beforehand\n"))
    }
}
