import Glibc
import HTTPServer
import JSON
import TestSupport
import Testing

/// `deskgate serve` with a PostgreSQL database: two replicas, one that is killed, and a server that stops and returns.
@Suite final class PostgresServiceTests {
    private let database: PostgresServer
    private let sink: ScriptedServer
    private let sites: [WebhookSite]

    init() throws {
        database = try PostgresServer()
        let sink = try ScriptedServer(.everyRequest(.respond(200)))
        self.sink = sink
        let store: JSONObject = ["store": ["type": "postgres", "url": ["file": "database-url"]]]
        sites = try (0..<2).map { _ in try WebhookSite(sink, log: false, store) }
        for site in sites { try site.workspace.write("database-url", database.url(), mode: 0o600) }
    }

    deinit {
        sink.stop()
    }

    @Test func `all replicas give the same responses`() throws {
        let replicas = try sites.map { try $0.start() }
        let clients = try replicas.map { try SocketClient($0.publicAddress) }
        for comment in 1...6 {
            let first = clients[comment % 2]
            #expect(try WebhookSite.post(Int64(comment), user: "somebody", first) == "accepted")
            #expect(try WebhookSite.post(Int64(comment), user: "somebody", clients[(comment + 1) % 2]) == "duplicate")
        }
        #expect(eventually { (try? Set(sink.requests.compactMap { try WebhookSite.comment(of: $0) })) == Set(1...6) })
        for (site, replica) in zip(sites, replicas) {
            // The sink's last response may not be stored yet.
            #expect(eventually { (try? delivered(site)) == 6 })
            #expect(try replica.stop() == .exit(0))
        }
    }

    private func delivered(_ site: WebhookSite) throws -> Int? {
        let list = try Deskgate.run("deliveries", "list", "--state", "delivered", "--json", "--config", site.workspace.configuration)
        guard case .array(let deliveries)? = try jsonObject(list.output)["deliveries"] else { return nil }
        return deliveries.count
    }

    @Test func `the other replica continues when one is killed`() throws {
        let replicas = try sites.map { try $0.start() }
        #expect(try WebhookSite.post(1, SocketClient(replicas[0].publicAddress)) == "accepted")
        #expect(sink.waitForRequests(1))
        #expect(try replicas[0].stop(SIGKILL) == .signal(SIGKILL))
        let client = try SocketClient(replicas[1].publicAddress)
        #expect(try WebhookSite.post(1, client) == "duplicate")
        #expect(try WebhookSite.post(2, client) == "accepted")
        // The first one may be repeated: the killed replica may not have stored the delivery.
        #expect(eventually { sink.requests.contains { (try? WebhookSite.comment(of: $0)) == 2 } })
        #expect(try replicas[1].stop() == .exit(0))
    }

    @Test func `a step of a rotation waits for all replicas`() throws {
        for site in sites {
            site.change([
                "store": ["type": "postgres", "url": ["file": "database-url"]],
                "admin": ["unix": "admin.sock", "token": ["file": "admin-token"]],
            ])
        }
        let replicas = try sites.map { try $0.start() }
        let (here, there) = (sites[0].workspace, sites[1].workspace)
        func rotate(_ words: String...) throws -> JSONObject {
            try Deskgate.run(["secret", "rotate", "--config", here.configuration, "--app", Workspace.app, "--json"] + words).json
        }
        /// The replicas have received each other's heartbeats.
        func isDue() -> Bool {
            guard let reported = try? rotate(), case .array(let processes)? = reported["processes"] else { return false }
            return processes.count == 2 && reported.string("status") == "due"
        }
        #expect(eventually(isDue))
        #expect(try rotate("--apply").string("status") == "done")
        replicas[0].process.send(SIGHUP)
        _ = try replicas[0].process.errors.line(containing: "configuration reloaded")
        let waiting = try rotate("--apply")
        #expect(waiting.string("reason") == "reload")
        #expect(waiting.string("message")?.hasPrefix("replica ") == true)
        #expect(waiting.string("message")?.contains("which answers here") == false, "that one has been reloaded")
        try there.write("config.json", here.read("config.json"))
        try there.write("app-1-2.key", String(here.read("app-1-2.key").dropLast()), mode: 0o600)
        replicas[1].process.send(SIGHUP)
        _ = try replicas[1].process.errors.line(containing: "configuration reloaded")
        #expect(eventually(isDue))
        #expect(try rotate().string("step") == "activate")
        for replica in replicas { #expect(try replica.stop() == .exit(0)) }
    }

    @Test func `an unavailable database does not stop the chat`() throws {
        let site = sites[0]
        let server = try site.start()
        #expect(try WebhookSite.post(1, SocketClient(server.publicAddress)) == "accepted")
        #expect(sink.waitForRequests(1))
        try database.kill()
        #expect(eventually { (try? WebhookSite.send(WebhookSite.body(2), SocketClient(server.publicAddress)).status) == 503 })
        let refusal = try WebhookSite.send(WebhookSite.body(2), SocketClient(server.publicAddress))
        #expect(refusal.status == 503)
        #expect(refusal.headers["retry-after"] == "5")
        #expect(try server.authorize(site.workspace.key()).status == 200)
        _ = try server.process.errors.line(containing: "the store cannot be opened")
        try database.start()
        #expect(eventually { (try? WebhookSite.post(2, SocketClient(server.publicAddress))) == "accepted" })
        #expect(try WebhookSite.post(1, SocketClient(server.publicAddress)) == "duplicate")
        #expect(sink.waitForRequests(2))
        #expect(try server.stop() == .exit(0))
        #expect(!(try server.process.errors.text().contains("postgres://")))
    }

    @Test func `a service that starts before its database waits for it`() throws {
        database.stop()
        let server = try sites[0].start()
        #expect(try server.authorize(sites[0].workspace.key()).status == 503, "nobody can say yet whether the key is revoked")
        let check = try Deskgate.run("check", "--config", sites[0].workspace.configuration)
        #expect(check.code == 2)
        #expect(check.errors.contains("$.store.url: "))
        try database.start()
        #expect(eventually { (try? WebhookSite.post(1, SocketClient(server.publicAddress))) == "accepted" })
        #expect(eventually { (try? server.authorize(self.sites[0].workspace.key()).status) == 200 })
        #expect(try server.stop() == .exit(0))
    }

    @Test func `the doctor on a host without a service warns like status, because others share the store`() throws {
        let replica = try sites[0].start()
        let workspace = try Workspace([
            "listen": ["unix": "public.sock", "max_connections": 100],
            "admin": ["unix": "admin.sock", "max_connections": 100, "token": ["file": "admin-token"]],
            "store": ["type": "postgres", "url": ["file": "database-url"]],
        ])
        try workspace.write("database-url", database.url(), mode: 0o600)
        let doctor = try Deskgate.run("doctor", "--config", workspace.configuration)
        #expect(doctor.code == 1)
        let finding = "WARNING ports: no service runs on this host: nothing answers at unix:\(workspace.directory.path("public.sock")): "
        #expect(doctor.output.contains(finding), "\(doctor.output)")
        let remedy = "Services on other hosts may share the store; to start one here: deskgate serve --config \(workspace.configuration)\n"
        #expect(doctor.output.contains(remedy), "\(doctor.output)")
        let status = try Deskgate.run("status", "--config", workspace.configuration)
        #expect(status.output.contains("Warning: No service runs on this host, "), "\(status.output)")
        #expect(try replica.stop() == .exit(0))
    }

    @Test func `a role without ownership can serve`() throws {
        let site = sites[0]
        _ = try database.sql("CREATE ROLE serving LOGIN", "REVOKE CREATE ON SCHEMA public FROM PUBLIC")
        try site.workspace.write("database-url", database.url(user: "serving"), mode: 0o600)
        try site.configure()
        let store = { (words: String...) in
            try Deskgate.run(
                ["store"] + words + ["--config", site.workspace.configuration], input: site.workspace.directory.path("owner-url"))
        }
        try site.workspace.write("owner-url", database.url(), mode: 0o600)
        let check = try Deskgate.run("check", "--config", site.workspace.configuration)
        #expect(check.code == 2)
        #expect(check.errors.contains("deskgate store migrate --url - --grant serving"))
        #expect(try store("status").code == 2)
        let migration = try store("migrate", "--url", "-", "--grant", "serving")
        #expect(migration.code == 0 && migration.output.hasPrefix("the schema has version "), "\(migration)")
        #expect(try store("migrate", "--url", "-", "--grant", "serving").output.contains("already"))
        #expect(try Deskgate.run("check", "--config", site.workspace.configuration).code == 0)
        let server = try site.start()
        #expect(try WebhookSite.post(1, SocketClient(server.publicAddress)) == "accepted")
        #expect(sink.waitForRequests(1))
        let status = try store("status", "--json")
        #expect(status.code == 0, "\(status)")
        let report = try jsonObject(status.output)
        #expect(report.integer("version") == report.integer("latest"))
        guard case .object(let details)? = report["server"], case .array(let replicas)? = details["replicas"] else {
            Issue.record("no replicas in \(status.output)")
            return
        }
        #expect(replicas.count == 1)
        // A role without a grant does not see the sessions of other roles.
        #expect(details["connections"] == .null)
        #expect(details.string("missing_grant") == "GRANT pg_read_all_stats TO serving")
        let text = try store("status").output
        #expect(text.contains("PostgreSQL 1"))
        #expect(text.contains("unknown of 50 connections"))
        #expect(text.contains("run as a superuser: GRANT pg_read_all_stats TO serving"))
        let doctor = try Deskgate.run("doctor", "--config", site.workspace.configuration).output
        #expect(doctor.contains("OK      store: other roles' sessions and the state of standbys are unknown"))
        #expect(doctor.contains("OK      store: ") && doctor.contains(" has the schema "), "\(doctor)")
        // Both use the clock of this machine.
        #expect(!doctor.contains("the database's clock"))
        #expect(try server.stop() == .exit(0))
    }
}
