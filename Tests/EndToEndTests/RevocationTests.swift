import Glibc
import JSON
import POSIX
import TestSupport
import Testing

/// `deskgate revoke`, `revocations` and `users` with a running service, with its store, and with two replicas of one database.
@Suite final class RevocationTests {
    private let sink: ScriptedServer

    init() throws {
        sink = try ScriptedServer(.everyRequest(.respond(200)))
    }

    deinit {
        sink.stop()
    }

    @discardableResult
    private func run(_ site: WebhookSite, _ words: String..., input: String = "/dev/null") throws -> JSONObject {
        let result = try Deskgate.run(words + ["--json", "--config", site.workspace.configuration], input: input)
        #expect(result.code == 0 && result.errors.isEmpty, "\(words) \(result)")
        return try jsonObject(result.output)
    }

    private func remove(_ site: WebhookSite, _ revocation: JSONObject) throws {
        let id = try #require(revocation.string("id"))
        #expect(try run(site, "revocations", "remove", id)["removed"] == 1)
        let again = try Deskgate.run("revocations", "remove", id, "--config", site.workspace.configuration)
        #expect(again.code == 1)
        #expect(again.errors.contains("No revocation has this id"))
    }

    @Test func `each kind applies to the next request and ends with its removal`() throws {
        let site = try WebhookSite(sink)
        let server = try site.start()
        let (key, other) = (try site.workspace.key(), try site.workspace.key(user: "other"))
        func statuses() throws -> [Int] {
            [try server.authorize(key).status, try server.authorize(other, user: "other").status]
        }
        try site.workspace.write("key", key, mode: 0o600)
        let kinds: [(words: [String], statuses: [Int])] = [
            (["--key", "-"], [403, 200]), (["--user", Markers.user, "--key", "-"], [403, 200]), (["--user", "other"], [200, 403]),
            (["--key-id", "1"], [403, 403]),
            (["--all"], [403, 403]), (["--user", "other", "--issued-before", "1000"], [200, 200]),
            (["--all", "--issued-before", "1000"], [200, 200]),
        ]
        for kind in kinds {
            let words = ["revoke", "--app", Workspace.app, "--reason", "leaked"] + kind.words
            let result = try Deskgate.run(
                words + ["--json", "--config", site.workspace.configuration], input: site.workspace.directory.path("key"))
            #expect(result.code == 0, "\(result)")
            #expect(try statuses() == kind.statuses, "\(kind.words)")
            try remove(site, jsonObject(result.output))
            #expect(try statuses() == [200, 200])
        }
        #expect(try server.stop() == .exit(0))
        let log = try server.process.errors.text()
        #expect(log.contains(#""reason":"revoked""#))
        #expect(log.contains(#""action":"revocations.add""#))
        #expect(!log.contains("dgk1."))
        #expect(!log.contains(Markers.user))
        #expect(!log.contains(#""other""#))
    }

    @Test func `a sign-out ends keys and devices, and a block also ends later keys`() throws {
        let site = try WebhookSite(sink)
        let server = try site.start()
        let person = ["--app", Workspace.app, "--user", Markers.user]
        func users(_ action: String) throws -> JSONObject {
            let result = try Deskgate.run(["users", action] + person + ["--json", "--config", site.workspace.configuration])
            #expect(result.code == 0, "\(result)")
            return try jsonObject(result.output)
        }
        let key = try site.workspace.key()
        let client = try SocketClient(server.publicAddress)
        func register(_ key: String, user: String = Markers.user) throws -> ReceivedResponse {
            let registration =
                #"{"app_id":"app-1","user_id":"\#(user)","security_key":"\#(key)","instance_id":"d","version":2,"type":"ios","token":"t-1"}"#
            try client.send(
                "POST /pyrus/push-token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                    + "Content-Length: \(registration.utf8.count)\r\n\r\n\(registration)")
            return try client.readResponse()
        }
        #expect(try register(key).text == #"{"status":"registered"}"#)
        #expect(try users("sign-out")["removed"] == 1)
        #expect(try server.authorize(key).status == 403)
        #expect(try register(key).status == 403, "a revoked key registers nothing")
        // A key issued in a later second is valid.
        #expect(eventually { (try? server.authorize(site.workspace.key()).status) == 200 })
        let block = try users("block").string("id")
        #expect(try users("block").string("id") == block, "who is blocked stays so")
        #expect(try server.authorize(site.workspace.key()).status == 403)
        #expect(try server.authorize(site.workspace.key(user: "other"), user: "other").status == 200)
        #expect(try users("unblock")["removed"] == 1)
        #expect(try server.authorize(site.workspace.key()).status == 200)
        let again = try Deskgate.run(["users", "unblock"] + person + ["--config", site.workspace.configuration])
        #expect(again.code == 1)
        #expect(again.output == "The user was not blocked.\n")
        #expect(try register(site.workspace.key(user: "other"), user: "other").status == 200)
        let all = try Deskgate.run("revoke", "--app", Workspace.app, "--all", "--config", site.workspace.configuration)
        #expect(all.code == 0)
        #expect(all.output.hasPrefix("Revoked. Its id is "), "\(all.output)")
        #expect(all.output.hasSuffix(". 1 push token is removed.\n"), "\(all.output)")
        #expect(try server.stop() == .exit(0))
        #expect(!(try server.process.errors.text().contains(Markers.user)))
    }

    /// Revocations survive a restart and kill -9, and commands use the store of a stopped service.
    @Test func `revocations survive a restart`() throws {
        let site = try WebhookSite(sink)
        let first = try site.start()
        let key = try site.workspace.key()
        try run(site, "users", "block", "--app", Workspace.app, "--user", Markers.user)
        #expect(try first.stop(SIGKILL) == .signal(SIGKILL))
        let second = try site.start()
        #expect(try second.authorize(key).status == 403)
        #expect(try second.stop() == .exit(0))
        try run(site, "users", "unblock", "--app", Workspace.app, "--user", Markers.user)
        let revocation = try run(site, "revoke", "--app", Workspace.app, "--key", key, "--author", "anna")
        #expect(revocation.string("author") == "command (anna)")
        #expect(revocation.string("kind") == "security_key")
        let list = try Deskgate.run("revocations", "list", "--config", site.workspace.configuration)
        #expect(list.output.split(separator: "\n").count == 2)
        #expect(list.output.contains(revocation.string("id") ?? "none"))
        let third = try site.start()
        #expect(try third.authorize(key).status == 403)
        #expect(try third.authorize(site.workspace.key()).status == 200)
        #expect(try third.stop() == .exit(0))
    }

    /// By default the author is the name of the user who runs the command.
    @Test func `a command sends the author of a change`() throws {
        let site = try WebhookSite(sink)
        // Without an entry in passwd(5) the user is `user ID`, and names contain no spaces.
        let user = Machine.userName(POSIX.Process.user).split(separator: " ").joined(separator: "_")
        let words = ["revoke", "--app", Workspace.app, "--key-id", "1"]
        func author(_ more: String...) throws -> String? {
            let result = try Deskgate.run(words + more + ["--json", "--config", site.workspace.configuration])
            return try jsonObject(result.output).string("author")
        }
        let server = try site.start()
        #expect(try author()?.hasSuffix(" (\(user))") == true)
        #expect(try author("--author", "anna")?.hasSuffix(" (anna)") == true)
        #expect(try author("--author", "anna")?.hasPrefix("admin.token ") == true)
        _ = try server.process.errors.line(containing: #""token":"admin.token","author":"anna","peer":"#)
        let retry = ["deliveries", "retry", "--all", "--author", "boris", "--config", site.workspace.configuration]
        #expect(try Deskgate.run(retry).code == 0)
        _ = try server.process.errors.line(containing: #""token":"admin.token","author":"boris","peer":"#)
        #expect(try server.stop() == .exit(0))
        #expect(try author() == "command (\(user))")
    }

    @Test func `wrong arguments are rejected`() throws {
        let site = try WebhookSite(sink)
        #expect(try site.start().stop() == .exit(0))
        let key = try site.workspace.key()
        let cases: [(words: [String], complaint: String)] = [
            (["revoke", "--app", Workspace.app], "missing of --user, --key, --key-id or --all"),
            (["revoke", "--app", Workspace.app, "--all", "--user", "u"], "more than one of"),
            (["revoke", "--app", Workspace.app, "--all", "--user", "u", "--key", key], "more than one of"),
            (["revoke", "--app", Workspace.app, "--user", "u", "--key", key], "not a key of this app_id and user_id"),
            (["revoke", "--app", "app-2", "--all"], "no app of this name is configured"),
            (["revoke", "--app", Workspace.app, "--key-id", "9"], "no key with this id"),
            (["revoke", "--app", Workspace.app, "--key", key, "--issued-before", "5"], "does not go with"),
            (["revoke", "--app", Workspace.app, "--key", "dgk1.x"], "84 base64url characters"),
            (["revoke", "--app", Workspace.app, "--all", "--author", "anna k"], "--author: expected a name of 1 to 64 letters"),
            (["users", "block", "--app", "app-2", "--user", "u"], "no app of this name is configured"),
            (["revocations", "list", "--user", "u"], "name a person together"),
            (["revocations", "list", "--app", "app-2"], "no app of this name is configured"),
            (["revocations", "remove", "x"], "expected the id of a revocation"),
        ]
        for (words, complaint) in cases {
            let result = try Deskgate.run(words + ["--config", site.workspace.configuration])
            #expect(result.code == 2 && result.errors.contains(complaint), "\(words) \(result)")
        }
    }
}

/// Two replicas on one PostgreSQL database.
@Suite final class RevocationReplicaTests {
    private let database: PostgresServer
    private let sink: ScriptedServer
    private let sites: [WebhookSite]

    init() throws {
        database = try PostgresServer()
        let sink = try ScriptedServer(.everyRequest(.respond(200)))
        self.sink = sink
        let store: JSONObject = ["store": ["type": "postgres", "url": ["file": "database-url"]]]
        sites = try (0..<2).map { _ in try WebhookSite(sink, store) }
        for site in sites { try site.workspace.write("database-url", database.url(), mode: 0o600) }
    }

    deinit {
        sink.stop()
    }

    private func run(_ words: String...) throws -> JSONObject {
        let result = try Deskgate.run(words + ["--json", "--config", sites[0].workspace.configuration])
        #expect(result.code == 0, "\(words) \(result)")
        return try jsonObject(result.output)
    }

    @Test func `replicas share revocations and continue while the database is unavailable`() throws {
        let replicas = try sites.map { try $0.start() }
        let (key, other) = (try sites[0].workspace.key(), try sites[0].workspace.key(user: "other"))
        #expect(try replicas[1].authorize(key).status == 200)
        let revocation = try run("revoke", "--app", Workspace.app, "--key", key)
        #expect(try replicas[0].authorize(key).status == 403)
        #expect(eventually { (try? replicas[1].authorize(key).status) == 403 })
        _ = try run("revocations", "remove", try #require(revocation.string("id")))
        #expect(try replicas[0].authorize(key).status == 200)
        #expect(eventually { (try? replicas[1].authorize(key).status) == 200 })

        _ = try run("users", "block", "--app", Workspace.app, "--user", Markers.user)
        #expect(eventually { (try? replicas[1].authorize(key).status) == 403 })
        try database.kill()
        _ = try replicas[1].process.errors.line(containing: "the revocations cannot be refreshed")
        #expect(try replicas[1].authorize(key).status == 403, "the last known state goes on")
        #expect(try replicas[1].authorize(other, user: "other").status == 200)
        try database.start()
        _ = try replicas[1].process.errors.line(containing: "the revocations are up to date again")
        #expect(try replicas[1].authorize(key).status == 403)
        #expect(
            eventually {
                (try? Deskgate.run(
                    "users", "unblock", "--app", Workspace.app, "--user", Markers.user, "--config", self.sites[0].workspace.configuration
                ).code) == 0
            })
        #expect(eventually { (try? replicas[1].authorize(key).status) == 200 })
        for replica in replicas { #expect(try replica.stop() == .exit(0)) }
    }
}
