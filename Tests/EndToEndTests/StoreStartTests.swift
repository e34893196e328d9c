import Glibc
import HTTPServer
import JSON
import POSIX
import SQLite
import Storage
import TestSupport
import Testing

/// `deskgate serve` when it cannot open the store: it authorizes with the copy of the revocations if there is one, rejects the rest,
/// logs the reason once, and opens the store as soon as possible.
@Suite final class StoreStartTests {
    private let site: WebhookSite
    private let sink: ScriptedServer
    private let path: String

    init() throws {
        sink = try ScriptedServer(.everyRequest(.respond(200)))
        site = try WebhookSite(sink, log: false)
        path = site.workspace.directory.path("deskgate.db")
    }

    deinit {
        sink.stop()
    }

    /// Starts the server, and expects that only the functions that need no store work.
    /// - Parameter hasCopy: whether there is a copy of the revocations; it contains the user `blocked`.
    /// - Returns: the server, and why it cannot open the store.
    private func startWithoutStore(hasCopy: Bool = false) throws -> (server: RunningServer, reason: String) {
        let server = try site.start()
        let genuine = try server.authorize(site.workspace.key())
        #expect(try server.authorize(wellFormedKey).status == 403, "a wrong key is denied without the store too")
        let state = try Deskgate.run("status", "--config", site.workspace.configuration)
        #expect(state.code == 1)
        let ready = try get("/readyz", server.publicAddress).text
        if hasCopy {
            #expect(genuine.status == 200)
            #expect(try server.authorize(site.workspace.key(user: "blocked"), user: "blocked").status == 403)
            _ = try server.process.errors.line(containing: "the revocations cannot be refreshed; the last known ones stay in force")
            #expect(ready == #"{"status":"not_ready","authorization":"ready"}"#)
            #expect(state.output.contains("Chats are authorized with the revocations of 20"))
        } else {
            #expect(genuine.status == 503, "the revocations are unknown")
            #expect(genuine.headers["retry-after"] == "1")
            _ = try server.process.errors.line(containing: "the revocation list could not be loaded")
            #expect(ready == #"{"status":"not_ready","authorization":"not_ready"}"#)
            #expect(state.output.contains("Genuine keys, webhooks and registrations are answered 503."))
        }
        let refusal = try WebhookSite.send(WebhookSite.body(1), SocketClient(server.publicAddress))
        #expect(refusal.status == 503)
        #expect(refusal.headers["retry-after"] == "5")
        #expect(!refusal.text.contains("deskgate.db"), "a public response does not contain the reason")
        #expect(try get("/livez", server.publicAddress).status == 200)
        #expect(try get("/readyz", server.publicAddress).status == 503)
        #expect(try get("/metrics", server.adminAddress).text.contains("\ndeskgate_store_up 0\n"))
        let line = try server.process.errors.line(containing: "the store cannot be opened").text
        let reason = try #require(try jsonObject(line).string("reason"))
        let listing = try Deskgate.run("deliveries", "list", "--config", site.workspace.configuration)
        #expect(listing.code == 2 && listing.errors.contains(reason), "the command reports the reason")
        let explained = try Deskgate.run("explain", "--comment", "1", "--config", site.workspace.configuration)
        #expect(explained.code == 1, "the command cannot explain a delivery without the store")
        #expect(explained.errors.contains(reason))
        return (server, reason)
    }

    /// Waits until the server has opened the store without a restart.
    private func expectItOpens(_ server: RunningServer) throws {
        #expect(eventually { (try? get("/readyz", server.publicAddress).status) == 200 })
        #expect(try WebhookSite.post(1, SocketClient(server.publicAddress)) == "accepted")
        #expect(sink.waitForRequests(1))
        #expect(eventually { (try? server.authorize(site.workspace.key()).status) == 200 })
        #expect(try get("/metrics", server.adminAddress).text.contains("\ndeskgate_store_up 1\n"))
        #expect(try server.stop() == .exit(0))
        let lines = try server.process.errors.text().split(separator: "\n")
        // An attempt may fail for another reason while the obstacle disappears; the server logs that reason too.
        let reasons = try lines.filter { $0.contains("the store cannot be opened") }.map { try jsonObject(String($0)).string("reason") }
        #expect(!reasons.isEmpty)
        #expect(zip(reasons, reasons.dropFirst()).allSatisfy { $0 != $1 }, "\(reasons)")
        #expect(lines.count { $0.contains("the store is open") } == 1)
    }

    private func get(_ target: String, _ address: ListenAddress) throws -> ReceivedResponse {
        let client = try SocketClient(address)
        try client.send("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n")
        return try client.readResponse()
    }

    private func makeStore() throws {
        try SQLiteStore(path: path).close()
    }

    /// Serves once, so that there is a copy of the revocations; it contains the user `blocked`.
    private func makeCopy() throws {
        let server = try site.start()
        try block()
        #expect(try server.stop() == .exit(0))
    }

    private func block() throws {
        let result = try Deskgate.run(
            "users", "block", "--app", Workspace.app, "--user", "blocked", "--config", site.workspace.configuration)
        #expect(result.code == 0, "\(result)")
    }

    private func change(store: String) throws {
        site.change(["store": ["type": "sqlite", "path": .string(store), "minimum_free_megabytes": 0]])
    }

    @Test func `a directory is missing for a while`() throws {
        try change(store: "data/deskgate.db")
        let (server, reason) = try startWithoutStore()
        #expect(reason.hasSuffix("its directory must exist, and this user must be allowed to write there"))
        #expect(unsafe mkdir(site.workspace.directory.path("data"), 0o700) == 0)
        try expectItOpens(server)
    }

    @Test(.enabled(if: SmallDisk.isPermitted, "only root may mount a small disk"))
    func `a disk is full for a while`() throws {
        let disk = try SmallDisk(megabytes: 1)
        try disk.fill("ballast", bytes: (1 << 20) - 4096)
        try change(store: disk.path("deskgate.db"))
        let (server, reason) = try startWithoutStore()
        #expect(reason.contains("free space on the disk"))
        disk.remove("ballast")
        try expectItOpens(server)
    }

    @Test(.enabled(if: SmallDisk.isPermitted, "only root may mount a small disk"))
    func `a full disk keeps the copy`() throws {
        let disk = try SmallDisk(megabytes: 2)
        try change(store: disk.path("deskgate.db"))
        try makeCopy()
        try disk.fill("ballast", bytes: Int(FileSystem.freeBytes(at: disk.path("deskgate.db"))))
        let (server, reason) = try startWithoutStore(hasCopy: true)
        #expect(reason.contains("free space on the disk"))
        disk.remove("ballast")
        try expectItOpens(server)
    }

    @Test func `a file that is no database is reported`() throws {
        try site.workspace.write("deskgate.db", String(repeating: "x", count: 8192), mode: 0o600)
        let (server, reason) = try startWithoutStore()
        #expect(reason.contains(path))
        #expect(reason.contains("not a database"))
        let check = try Deskgate.run("check", "--config", site.workspace.configuration)
        #expect(check.code == 2)
        #expect(check.errors.contains("$.store.path: "))
        #expect(check.errors.contains("not a database"))
        #expect(try server.stop() == .exit(0), "it stops while it waits")
    }

    @Test(arguments: [false, true]) func `a damaged database is reported`(hasCopy: Bool) throws {
        try hasCopy ? makeCopy() : makeStore()
        let connection = try Connection(path: path, mode: .readWriteCreate)
        try connection.execute("UPDATE runs SET closed = 0")
        try connection.close()
        // Overwrites every page except the first, which identifies the file as a database.
        let size = 16 * 4096
        let descriptor = unsafe open(path, O_WRONLY | O_CLOEXEC)
        #expect(pwriteAll(descriptor, Array(repeating: 0xA5, count: size - 4096), at: 4096))
        close(descriptor)
        let (server, reason) = try startWithoutStore(hasCopy: hasCopy)
        #expect(reason.hasPrefix(path))
        #expect(reason.contains("restore"))
        #expect(try server.stop() == .exit(0))
    }

    @Test(arguments: [false, true]) func `a file of a newer version is reported`(hasCopy: Bool) throws {
        try hasCopy ? makeCopy() : makeStore()
        let connection = try Connection(path: path, mode: .readWriteCreate)
        try connection.setUserVersion(99)
        try connection.close()
        let (server, reason) = try startWithoutStore(hasCopy: hasCopy)
        #expect(reason.contains("was written by a newer version"))
        #expect(try server.stop() == .exit(0))
    }

    @Test func `a database that was moved away is not replaced by an empty one`() throws {
        try makeCopy()
        try File.rename(path, to: "\(path).moved")
        let (server, reason) = try startWithoutStore(hasCopy: true)
        let trace = "\(path).revocations, the copy of its revocations, shows that there was one"
        #expect(reason.hasPrefix("\(path) is missing, but \(trace); put the database back, "))
        #expect(!File.exists(path))
        let check = try Deskgate.run("check", "--config", site.workspace.configuration)
        #expect(check.code == 2)
        #expect(check.errors.contains("$.store.path: \(reason)"))
        try File.rename("\(path).moved", to: path)
        try expectItOpens(server)
    }

    /// A command that changes the store of a stopped service also changes the copy.
    @Test func `the copy contains a command's revocations`() throws {
        #expect(try site.start().stop() == .exit(0))
        try block()
        let connection = try Connection(path: path, mode: .readWriteCreate)
        try connection.setUserVersion(99)
        try connection.close()
        let (server, _) = try startWithoutStore(hasCopy: true)
        #expect(try server.stop() == .exit(0))
    }

    @Test func `a database is unavailable at the start`() throws {
        let database = try PostgresServer()
        try site.workspace.write("database-url", database.url(), mode: 0o600)
        site.change(["store": ["type": "postgres", "url": ["file": "database-url"]]])
        try makeCopy()
        try database.kill()
        let (server, reason) = try startWithoutStore(hasCopy: true)
        #expect(reason.contains("a server must run at the address"))
        try database.start()
        try expectItOpens(server)
    }

    @Test func `another service holds the store`() throws {
        let first = try site.start()
        #expect(try WebhookSite.post(7, SocketClient(first.publicAddress)) == "accepted")
        try block()
        #expect(eventually { (try? self.site.workspace.read("deskgate.db.revocations").contains("blocked")) == true })
        let names = site.workspace.directory.contents().filter { $0.hasPrefix("deskgate.db") }
        #expect(
            names == ["deskgate.db", "deskgate.db-shm", "deskgate.db-wal", "deskgate.db.revocations"],
            "no lock file, which could be removed, excludes other processes")
        let (second, reason) = try startWithoutStore(hasCopy: true)
        let remedy = "if that is the service, it already runs; otherwise stop it, or set another path"
        #expect(reason == "\(path) is used by process \(first.process.identifier) (deskgate); \(remedy)")
        #expect(try WebhookSite.post(8, SocketClient(first.publicAddress)) == "accepted")
        #expect(try first.stop() == .exit(0))
        try expectItOpens(second)
    }

    @Test func `a tool keeps the store locked for a while`() throws {
        try makeStore()
        let tool = try Connection(path: path, mode: .readWriteCreate)
        var started: RunningServer?
        try tool.transaction { () throws(SQLiteError) in
            do {
                let (server, reason) = try startWithoutStore()
                started = server
                #expect(reason.contains("another process keeps the file locked: stop it"))
            } catch {
                Issue.record(error)
            }
        }
        try tool.close()
        try expectItOpens(try #require(started))
    }

    private func pwriteAll(_ descriptor: Int32, _ bytes: [UInt8], at offset: Int) -> Bool {
        unsafe pwrite(descriptor, bytes, bytes.count, offset) == bytes.count
    }
}
