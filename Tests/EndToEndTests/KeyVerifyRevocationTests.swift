import Core
import JSON
import TestSupport
import Testing
import Time

@testable import DeskgateCLI

/// `deskgate key verify` and revoked keys: with a running service, with its store alone, and without both.
@Suite struct KeyVerifyRevocationTests {
    private static let members: JSONObject = [
        "admin": ["unix": "admin.sock", "token": ["file": "admin-token"]],
        "store": ["type": "sqlite", "path": "deskgate.db", "minimum_free_megabytes": 0],
    ]

    private struct Said: Equatable {
        let code: Int32
        let status: Int64?
        let reason, revocations: String?

        static let valid = Said(code: 0, status: 200, reason: "valid", revocations: "asked")
        static let revoked = Said(code: 1, status: 403, reason: "revoked", revocations: "asked")
        static let offline = Said(code: 0, status: 200, reason: "valid", revocations: "not_asked")
        static let unasked = Said(code: 1, status: nil, reason: "revocations_not_asked", revocations: "not_asked")
    }

    private func words(_ key: String, user: String) -> [String] { ["--app", Workspace.app, "--user", user, "--key", key] }

    private func verify(_ workspace: Workspace, key: String, user: String = Markers.user, more: String...) throws -> Said {
        let result = try Deskgate.run(["key", "verify", "--config", workspace.configuration, "--json"] + words(key, user: user) + more)
        #expect(result.errors.isEmpty)
        let json = try result.json
        return Said(
            code: result.code, status: json.integer("status"), reason: json.string("reason"), revocations: json.string("revocations"))
    }

    private func run(_ workspace: Workspace, _ words: String...) throws {
        let result = try Deskgate.run(words + ["--config", workspace.configuration])
        #expect(result.code == 0, "\(result.errors)")
    }

    @Test func `a revoked key is not valid, with and without the service`() throws {
        let workspace = try Workspace(Self.members)
        let (key, other) = (try workspace.key(), try workspace.key())
        #expect(try verify(workspace, key: key) == .unasked)
        let server = try RunningServer(workspace)
        #expect(try verify(workspace, key: key) == .valid)
        try run(workspace, "revoke", "--app", Workspace.app, "--key", key)
        #expect(try verify(workspace, key: key) == .revoked)
        #expect(try verify(workspace, key: other) == .valid)
        #expect(try verify(workspace, key: key, more: "--offline") == .offline)
        #expect(try server.stop() == .exit(0))
        #expect(try verify(workspace, key: key) == .revoked)
        #expect(try verify(workspace, key: other) == .valid)
        try run(workspace, "users", "block", "--app", Workspace.app, "--user", Markers.user)
        #expect(try verify(workspace, key: other) == .revoked)
        #expect(try verify(workspace, key: try workspace.key(user: Markers.otherUser), user: Markers.otherUser) == .valid)
    }

    @Test func `a service with other keys in force than the file's is reported`() throws {
        let workspace = try Workspace(Self.members)
        let server = try RunningServer(workspace)
        try workspace.write("app-1.key", Markers.appSecrets[1], mode: 0o600)
        let words = ["key", "verify", "--config", workspace.configuration] + words(try workspace.key(), user: Markers.user)
        let warned = try Deskgate.run(words)
        #expect(warned.code == 0)
        #expect(warned.errors.hasPrefix("deskgate: warning: The keys in force in the service are not those of the configuration file: "))
        #expect(try Deskgate.run(words + ["--offline"]).errors.isEmpty)
        #expect(try server.stop() == .exit(0))
        #expect(try Deskgate.run(words).errors.isEmpty)
    }

    @Test func `a key minted with a revoked key id is reported`() throws {
        let workspace = try Workspace(Self.members)
        let server = try RunningServer(workspace)
        let words = ["key", "mint", "--config", workspace.configuration, "--app", Workspace.app, "--user", Markers.user]
        #expect(try Deskgate.run(words).errors.isEmpty)
        try run(workspace, "revoke", "--app", Workspace.app, "--key-id", "1")
        let minted = try Deskgate.run(words)
        #expect(minted.code == 0)
        #expect(minted.errors.hasPrefix("deskgate: warning: the service denies this security key, because the key id 1 is revoked; "))
        #expect(minted.errors.contains("; rotate the app's secret (deskgate secret rotate --app "))
        #expect(minted.output.hasPrefix("dgk1."))
        #expect(try server.stop() == .exit(0))
    }

    @Test func `a rotation adds a key instead of activating a revoked one`() throws {
        let workspace = try Workspace(Self.members)
        let server = try RunningServer(workspace)
        try run(workspace, "secret", "rotate", "--app", Workspace.app, "--apply")
        let reload = try Deskgate.run("reload", "--pid", "\(server.process.identifier)")
        #expect(reload.code == 0, "\(reload.errors)")
        try run(workspace, "revoke", "--app", Workspace.app, "--key-id", "2")
        let words = ["secret", "rotate", "--config", workspace.configuration, "--app", Workspace.app, "--json"]
        let reported = try Deskgate.run(words).json
        #expect(reported.string("step") == "add")
        #expect(reported.integer("key_id") == 3)
        #expect(reported.string("status") == "due")
        #expect(try server.stop() == .exit(0))
    }

    @Test func `the output reports why the revocation status is unknown, and the remedy`() throws {
        let workspace = try Workspace(Self.members)
        let key = try workspace.key()
        let result = try Deskgate.run(["key", "verify", "--config", workspace.configuration, "--json"] + words(key, user: Markers.user))
        let message = try #require(try result.json.string("message"))
        #expect(message.hasPrefix("Revocations could not be asked: the service does not run. Its store cannot be used: "))
        #expect(message.hasSuffix(". With --offline the configuration alone decides."))
    }

    @Test func `an unknown status is null only in JSON`() throws {
        let workspace = try Workspace(Self.members)
        let words = ["key", "verify", "--config", workspace.configuration] + words(try workspace.key(), user: Markers.user)
        let result = try Deskgate.run(words)
        #expect(result.code == 1)
        #expect(result.output.hasPrefix("status       unknown\nreason       revocations_not_asked\n"))
        #expect(try Deskgate.run(words + ["--json"]).json["status"] == .null)
    }

    /// Runs the command in this process with a given response about revocations.
    private func verify(
        _ workspace: Workspace, _ key: String, user: String = Markers.user, reported answer: KeyCommands.RevocationAnswer
    ) throws -> (said: Said, json: JSONObject) {
        let arguments = try Arguments(["--config", workspace.configuration] + words(key, user: user), for: KeyCommands.verify)
        let (found, code) = try KeyCommands.verify(arguments, KeyCommands.authorizer(arguments.configuration())) { _ in answer }
        let json = found.json
        let said = Said(
            code: code.rawValue, status: json.integer("status"), reason: json.string("reason"), revocations: json.string("revocations"))
        return (said, json)
    }

    @Test func `a service that does not have the revocations is quoted`() throws {
        let workspace = try Workspace()
        let (said, json) = try verify(workspace, workspace.key(), reported: .answered(.unknown))
        #expect(said == Said(code: 1, status: 503, reason: "revocations_not_loaded", revocations: "asked"))
        #expect(json.string("message") == "The service does not know which keys are revoked; deskgate status shows the cause.")
    }

    @Test func `a key that is denied anyway needs no revocation status`() throws {
        let workspace = try Workspace()
        let (said, json) = try verify(workspace, workspace.key(), user: Markers.otherUser, reported: .failed("nobody is there"))
        #expect(said == Said(code: 1, status: 403, reason: "wrong_mac", revocations: nil))
        #expect(json["message"] == nil)
    }

    /// Shadow mode does not allow a blocked user, so its verdict depends on the revocation status as well.
    @Test func `in shadow mode a wrong key of a blocked user is denied`() throws {
        let end = Int64(SystemClock.unixSeconds().rawValue) + 86_400
        guard case .object(var app) = Workspace.app(1) else {
            Issue.record("expected an object for the app")
            return
        }
        app.append(.integer(end), forKey: "shadow_until")
        let workspace = try Workspace(["apps": [.object(app)]])
        let key = try workspace.key()
        let person = AppUser(appID: Workspace.app, userID: Markers.otherUser)
        func said(isBlocked: Bool) throws -> Said {
            let reported = Revocations.concerning(person, SecurityKey(key.utf8.span), isBlocked: isBlocked, isRevoked: isBlocked)
            return try verify(workspace, key, user: Markers.otherUser, reported: .answered(reported)).said
        }
        #expect(try said(isBlocked: false) == Said(code: 0, status: 200, reason: "wrong_mac", revocations: "asked"))
        #expect(try said(isBlocked: true) == Said(code: 1, status: 403, reason: "wrong_mac", revocations: "asked"))
        #expect(try verify(workspace, key, user: Markers.otherUser, reported: .failed("nobody is there")).said == .unasked)
    }
}
