import Glibc
import JSON
import POSIX
import TestSupport
import Testing
import Time

/// `deskgate users forget` with a running service, with its store, and with two replicas of one database.
@Suite final class ForgetTests {
    private static let token = "\(Markers.prefix)-push-token-of-a-phone"
    private static let device = "\(Markers.prefix)-device-id"
    private static let traces = [Markers.user, token, device, WebhookSite.message]
    private let sink: ScriptedServer

    init() throws {
        sink = try ScriptedServer(.everyRequest(.respond(200)))
    }

    deinit {
        sink.stop()
    }

    private func forget(_ site: WebhookSite) throws -> JSONObject {
        let result = try Deskgate.run(
            "users", "forget", "--app", Workspace.app, "--user", Markers.user, "--reason", "asked for it", "--json", "--config",
            site.workspace.configuration)
        #expect(result.code == 0 && result.errors.isEmpty, "\(result)")
        return try jsonObject(result.output)
    }

    private func counts(_ answer: JSONObject) -> [Int64?] {
        ["devices", "events", "deliveries", "revocations"].map { answer.integer($0) }
    }

    /// Registers a device, delivers a comment, and revokes old keys of the person.
    private func use(_ site: WebhookSite, _ server: RunningServer) throws {
        let client = try SocketClient(server.publicAddress)
        let body =
            #"{"app_id":"app-1","user_id":"\#(Markers.user)","security_key":"\#(try site.workspace.key())","#
            + #""instance_id":"\#(Self.device)","version":2,"type":"ios","token":"\#(Self.token)"}"#
        try client.send(
            "POST /pyrus/push-token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        #expect(try client.readResponse().text == #"{"status":"registered"}"#)
        #expect(try WebhookSite.post(1, client) == "accepted")
        #expect(sink.waitForRequests(2))
        let revocation = try Deskgate.run(
            "revoke", "--app", Workspace.app, "--user", Markers.user, "--issued-before", "1000", "--config", site.workspace.configuration)
        #expect(revocation.code == 0)
    }

    /// The events at the sink that report the erasure, each once.
    private func reported() throws -> [RecordedRequest] {
        var seen: Set<String> = []
        let events = sink.requests.filter { seen.insert($0.header("webhook-id") ?? "").inserted }
        return try events.filter { try jsonObject($0.text).string("type") == "user.forgotten" }
    }

    /// The number of occurrences of the person's data in the store's files.
    private func found(_ site: WebhookSite) throws -> Int {
        try ["deskgate.db", "deskgate.db-wal"].reduce(0) { count, name in
            let finding = try FileSearch.search(site.workspace.directory.path(name), for: Self.traces.map { Array($0.utf8) })
            return count + finding.occurrences
        }
    }

    @Test func `all data leaves the files and the person is denied permanently`() throws {
        let site = try WebhookSite(sink)
        let server = try site.start()
        try use(site, server)
        #expect(try found(site) > 0)
        let answer = try forget(site)
        // The device's registration and the comment, each for the log and the sink.
        #expect(counts(answer) == [1, 2, 4, 1], "\(answer)")
        #expect(eventually { (try? self.reported().count) == 1 })
        let event = try #require(try reported().first)
        #expect(try site.isGenuine(event, now: SystemClock.unixMilliseconds()))
        let object = try jsonObject(event.text)
        #expect(object.string("user_id") == Markers.user)
        #expect(object.string("app_id") == Workspace.app)
        #expect(object["data"] == [:])
        // The service erases by itself, within ten seconds after the last delivery.
        #expect(eventually { (try? self.found(site)) == 0 })

        let again = try forget(site)
        #expect(counts(again) == [0, 0, 0, 0] && again["remaining"] == [] && again.string("id") == answer.string("id"), "\(again)")
        guard case .object(let files)? = again["files"] else { throw ChildProcess.Failure.missingOutput }
        #expect(files.integer("occurrences") == 0)
        #expect(files.integer("texts") == 1)
        #expect(files["names"] == ["deskgate.db", "deskgate.db-wal"])
        #expect(try server.authorize(site.workspace.key()).status == 403)
        #expect(try server.authorize(site.workspace.key(user: "other"), user: "other").status == 200)
        let client = try SocketClient(server.publicAddress)
        #expect(try WebhookSite.post(1, user: "other", client) == "duplicate", "a comment is recognised by its identity")
        #expect(try WebhookSite.post(2, client) == "ignored", "nothing about a former user is stored")

        let unblocked = try Deskgate.run(
            "users", "unblock", "--app", Workspace.app, "--user", Markers.user, "--config", site.workspace.configuration)
        #expect(unblocked.code == 1)
        #expect(unblocked.output.hasPrefix("The user was forgotten, and stays out with any key"))
        let id = try #require(answer.string("id"))
        let removal = try Deskgate.run("revocations", "remove", id, "--config", site.workspace.configuration)
        #expect(removal.code == 1)
        #expect(removal.errors.contains("is permanent"))
        #expect(try server.stop() == .exit(0))
        let log = try server.process.errors.text()
        #expect(log.contains(#""action":"users.forget","outcome":"done""#))
        #expect(log.contains(#""user_ref""#))
        #expect(!Self.traces.contains { log.contains($0) })

        let second = try site.start()
        #expect(try second.authorize(site.workspace.key()).status == 403, "a restart forgets who was forgotten in no way")
        #expect(try second.stop(SIGKILL) == .signal(SIGKILL))
        #expect(try found(site) == 0)
        #expect(try reported().count == 1, "a repeated call tells nobody again")
    }

    /// The command has the same effect without a service; the events are delivered when one starts.
    @Test func `a store of a stopped service forgets too`() throws {
        let site = try WebhookSite(sink)
        let server = try site.start()
        try use(site, server)
        #expect(try server.stop() == .exit(0))
        let answer = try forget(site)
        #expect(counts(answer) == [1, 2, 4, 1])
        let remaining = ["log", "sink"].map { notifier -> JSONValue in
            [
                "where": "deliveries", "notifier": .string(notifier), "count": 1,
                "why": "waits for its delivery to the notifier, which ends the user's data in it",
            ]
        }
        #expect(answer["remaining"] == .array(remaining))
        let text = try Deskgate.run(
            "users", "forget", "--app", Workspace.app, "--user", Markers.user, "--config", site.workspace.configuration)
        let lines = text.output.split(separator: "\n").map(String.init)
        #expect(lines.first == "Forgotten. Erased: 0 push tokens, 0 events, 0 deliveries, 0 calls of bots, 0 revocations.")
        #expect(
            lines.contains("Remains in deliveries to sink (1): waits for its delivery to the notifier, which ends the user's data in it."))
        #expect(lines.last?.hasPrefix("deskgate.db and deskgate.db-wal, ") == true)
        #expect(lines.last?.contains("searched for 1 text: ") == true)
        #expect(!text.output.contains(Markers.user))
        let second = try site.start()
        #expect(eventually { (try? self.reported().count) == 1 })
        #expect(eventually { (try? self.found(site)) == 0 })
        #expect(try second.authorize(site.workspace.key()).status == 403)
        #expect(try second.stop() == .exit(0))
    }

    @Test func `wrong arguments are rejected`() throws {
        let site = try WebhookSite(sink)
        #expect(try site.start().stop() == .exit(0))
        let cases = [
            (["--app", "app-2", "--user", "u"], "no app of this name is configured"), (["--app", Workspace.app], "--user"),
            (["--app", Workspace.app, "--user", "a\u{1}"], "user_id"),
        ]
        for (words, complaint) in cases {
            let result = try Deskgate.run(["users", "forget"] + words + ["--config", site.workspace.configuration])
            #expect(result.code == 2 && result.errors.contains(complaint), "\(words) \(result)")
        }
    }

    /// In PostgreSQL no row contains the person any more, and the other replica denies too.
    @Test func `no table of PostgreSQL contains the person`() throws {
        let database = try PostgresServer()
        let store: JSONObject = ["store": ["type": "postgres", "url": ["file": "database-url"]]]
        let sites = try (0..<2).map { _ in try WebhookSite(sink, store) }
        for site in sites { try site.workspace.write("database-url", database.url(), mode: 0o600) }
        let replicas = try sites.map { try $0.start() }
        try use(sites[0], replicas[0])
        #expect(try rows(database) > 0)
        let answer = try forget(sites[0])
        #expect(counts(answer) == [1, 2, 4, 1] && answer["vacuumed"] == true && answer["files"] == .null, "\(answer)")
        #expect(eventually { (try? self.reported().count) == 1 })
        #expect(eventually { (try? self.rows(database)) == 0 })
        #expect(try counts(forget(sites[1])) == [0, 0, 0, 0])
        for (site, replica) in zip(sites, replicas) {
            #expect(try replica.authorize(site.workspace.key()).status == 403)
            let client = try SocketClient(replica.publicAddress)
            #expect(try WebhookSite.post(1, user: "other", client) == "duplicate")
            #expect(try WebhookSite.post(2, client) == "ignored")
            #expect(try replica.stop() == .exit(0))
        }
        #expect(try rows(database) == 0)
    }

    /// The number of rows in all tables that contain data of the person.
    private func rows(_ database: PostgresServer) throws -> Int {
        let names = try database.sql("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").split(separator: "\n")
        #expect(names.count > 10)
        let matches = Self.traces.map { "row::text LIKE '%\($0)%' OR row::text LIKE '%' || encode('\($0)', 'hex') || '%'" }
        let counts = names.map { "(SELECT count(*) FROM \($0) AS row WHERE \(matches.joined(separator: " OR ")))" }
        let sum = try database.sql("SELECT " + counts.joined(separator: " + "))
        return try #require(Int(sum.filter { $0.isNumber }))
    }
}
