import Glibc
import HTTPServer
import JSON
import POSIX
import TestSupport
import Testing

/// The whole program when its database loses files, its disk hangs, or its store is backed up and restored.
@Suite final class StoreLossTests {
    private let site: WebhookSite
    private let sink: ScriptedServer

    init() throws {
        sink = try ScriptedServer(.everyRequest(.respond(200)))
        site = try WebhookSite(sink, log: false)
    }

    deinit {
        sink.stop()
    }

    private func path(_ name: String) -> String { site.workspace.directory.path(name) }

    private func status(_ target: String, _ server: RunningServer) throws -> Int {
        let client = try SocketClient(server.publicAddress)
        try client.send("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n")
        return try client.readResponse().status
    }

    @Test func `no accepted event is lost with the log`() throws {
        let load = WebhookLoad(clients: 4)
        for _ in 0..<3 {
            let server = try site.start()
            load.use(server.publicAddress)
            #expect(load.waitForMore(200))
            let removed = unsafe unlink(path("deskgate.db-wal"))
            #expect(removed == 0)
            // It reopens the database by itself, and continues.
            let line = try server.process.errors.line(containing: "the store accepts no data").text
            #expect(try jsonObject(line).string("reason")?.contains("deskgate.db-wal was removed") == true)
            _ = try server.process.errors.line(containing: "the store is open")
            #expect(load.waitForMore(50))
            server.process.send(9)
            load.use(nil)
            #expect(try server.process.waitForEnd() == .signal(9))
        }
        load.stop()
        let server = try site.start()
        let client = try SocketClient(server.publicAddress)
        let lost = try load.accepted.filter { try isLost($0, client) }
        #expect(lost.isEmpty)
        #expect(try server.stop() == .exit(0))
    }

    /// Whether the service does not have a webhook as a duplicate; it is posted again while a slow disk causes refusals.
    private func isLost(_ comment: Int64, _ client: SocketClient) throws -> Bool {
        var answer = try WebhookSite.post(comment, client)
        _ = eventually {
            if answer == nil { answer = try? WebhookSite.post(comment, client) }
            return answer != nil
        }
        return answer != "duplicate"
    }

    @Test func `a disk that hangs is reported and does not prevent a stop`() throws {
        try site.configure(["shutdown": ["drain_seconds": 1]])
        let server = try RunningServer(
            configuration: site.workspace.configuration,
            environment: ["LD_PRELOAD": Deskgate.slowDisk, "SLOW_DISK_FILE": path("slow-disk"), "DESKGATE_TIME_LIMIT_FACTOR": "1"])
        #expect(eventually { (try? status("/readyz", server)) == 200 })
        try site.workspace.directory.write("slow-disk", "600000")
        let client = try SocketClient(server.publicAddress)
        let body = WebhookSite.body(1)
        try WebhookSite.begin(body, client)
        #expect(eventually { (try? status("/readyz", server)) == 503 })
        #expect(try server.authorize(site.workspace.key()).status == 200)
        _ = try server.process.errors.line(containing: "the store accepts no data")
        #expect(try server.stop() == .exit(1))
        #expect(try client.readResponse().status == 503, "it was not promised")
        #expect(try server.process.errors.text().contains("stopped without closing the store, whose disk hangs"))
    }

    @Test func `a backup works during service, and a restore without it`() throws {
        let server = try site.start()
        let client = try SocketClient(server.publicAddress)
        #expect(try WebhookSite.post(1, client) == "accepted")
        let config = ["--config", site.workspace.configuration]
        let backup = try Deskgate.run(["store", "backup", path("backup.db")] + config)
        #expect(backup.code == 0)
        #expect(backup.output == "\(path("backup.db")) holds everything that was stored by now; keep it as secret as the store\n")
        #expect(try Deskgate.run(["store", "backup", path("backup.db")] + config).code == 2)
        #expect(try WebhookSite.post(2, client) == "accepted")
        let refusal = try Deskgate.run(["store", "restore", path("backup.db")] + config)
        #expect(refusal.code == 2)
        #expect(refusal.errors.contains("is used by process \(server.process.identifier) (deskgate); stop it, then run this again\n"))
        server.process.send(9)
        #expect(try server.process.waitForEnd() == .signal(9))
        let restored = try Deskgate.run(["store", "restore", path("backup.db"), "--json"] + config)
        #expect(restored.code == 0)
        let former = try #require(try jsonObject(restored.output).string("former"))
        #expect(former.hasPrefix(path("deskgate.db.before-")))
        #expect(try Deskgate.run(["store", "status"] + config).output.contains("\n  beside it \(former): "))
        let second = try site.start()
        let again = try SocketClient(second.publicAddress)
        #expect(try WebhookSite.post(1, again) == "duplicate")
        #expect(try WebhookSite.post(2, again) == "accepted", "the backup is older")
        #expect(try second.stop() == .exit(0))
    }

    @Test func `a restore beside a service without its database reports that it must restart`() throws {
        let server = try site.start()
        let config = ["--config", site.workspace.configuration]
        #expect(try Deskgate.run(["store", "backup", path("backup.db")] + config).code == 0)
        for name in ["deskgate.db", "deskgate.db-wal", "deskgate.db-shm"] {
            let removed = unsafe unlink(path(name))
            #expect(removed == 0)
        }
        let restored = try Deskgate.run(["store", "restore", path("backup.db")] + config)
        #expect(restored.code == 0)
        #expect(restored.errors == "deskgate: the service that runs does not use the restored store yet; restart it\n")
        server.process.send(9)
        #expect(try server.process.waitForEnd() == .signal(9))
    }

    @Test func `the status of the store contains its free space and both limits`() throws {
        #expect(try site.start().stop() == .exit(0))
        let config = ["--config", site.workspace.configuration]
        let bounds = "events are refused below 0 (store.minimum_free_megabytes), and operators are notified below "
        try site.configure(["operators": ["thresholds": ["disk_free_megabytes": 0]]])
        let well = try Deskgate.run(["store", "status"] + config)
        #expect(well.code == 0)
        #expect(well.output.contains(" MB are free in \(site.workspace.directory.path): \(bounds)0 ("))
        try site.configure(["operators": ["thresholds": ["disk_free_megabytes": 1_000_000_000]]])
        let low = try Deskgate.run(["store", "status", "--json"] + config)
        #expect(low.code == 1)
        let report = try jsonObject(low.output)
        #expect(report.integer("free_bytes") ?? 0 > 0)
        let warnings = try #require(report["warnings"]?.elements)
        #expect(warnings.count == 1)
        #expect(warnings.first?.text?.hasSuffix("\(bounds)1000000000 (operators.thresholds.disk_free_megabytes); make room") == true)
    }

    /// Blocks a user after a backup, and waits until the copy of the revocations contains the block.
    /// - Returns: the user's key.
    private func blockAfterBackup(user: String) throws -> String {
        let config = ["--config", site.workspace.configuration]
        let server = try site.start()
        let key = try site.workspace.key(user: user)
        #expect(try Deskgate.run(["store", "backup", path("backup.db")] + config).code == 0)
        #expect(try Deskgate.run(["users", "block", "--app", Workspace.app, "--user", user] + config).code == 0)
        #expect(eventually { (try? site.workspace.read("deskgate.db.revocations"))?.contains(user) == true })
        #expect(try server.stop() == .exit(0))
        return key
    }

    private func restore(_ options: String...) throws -> Deskgate.Result {
        try Deskgate.run(["store", "restore", path("backup.db"), "--config", site.workspace.configuration] + options)
    }

    @Test func `a restore keeps a block that is newer than the backup`() throws {
        let key = try blockAfterBackup(user: "user-1")
        let restored = try restore()
        #expect(restored.code == 0)
        #expect(restored.output.contains("\n1 revocation missing in the backup is in force again, from the copy of the revocations: "))
        let server = try site.start()
        #expect(try server.authorize(key, user: "user-1").status == 403)
        #expect(try server.stop() == .exit(0))
    }

    @Test func `a restore without the copy reports possible losses, and can revoke all older keys`() throws {
        let key = try blockAfterBackup(user: "user-1")
        try File.remove(path("deskgate.db.revocations"))
        let restored = try restore("--sign-out-issued-before", "4000000000")
        #expect(restored.code == 0)
        #expect(restored.output.contains("Revocations, blocks and forgotten users since the backup may be missing: cannot use the copy "))
        let server = try site.start()
        #expect(try server.authorize(key, user: "user-1").status == 403)
        #expect(try server.stop() == .exit(0))
    }

    @Test(.enabled(if: geteuid() == 0, "only root may give files away"))
    func `files that root creates do not block another user`() throws {
        let first = try site.start()
        #expect(try WebhookSite.post(1, user: "user-1", SocketClient(first.publicAddress)) == "accepted")
        first.process.send(9)
        #expect(try first.process.waitForEnd() == .signal(9))
        let config = ["--config", site.workspace.configuration]
        let owner: uid_t = 12345
        let database = site.workspace.directory.contents().filter { $0.hasPrefix("deskgate.db") }.map { path($0) }
        for name in database + [site.workspace.directory.path] {
            let result = unsafe chown(name, owner, owner)
            #expect(result == 0)
        }
        #expect(try Deskgate.run(["deliveries", "list"] + config).code == 0)
        #expect(try Deskgate.run(["store", "backup", path("backup.db")] + config).code == 0)
        #expect(try Deskgate.run(["store", "restore", path("backup.db")] + config).code == 0)
        let strangers = site.workspace.directory.contents().filter { name in
            var status = stat()
            let isThere = unsafe stat(path(name), &status) == 0
            return name.hasPrefix("deskgate.db") && isThere && status.st_uid != owner
        }
        #expect(strangers == [])
    }
}
