import Glibc
import HTTPServer
import JSON
import POSIX
import SQLite
import TestSupport
import Testing

/// The whole program on a disk that is full or fails: the next start recovers all accepted events by itself.
@Suite final class StoreDiskTests {
    private let site: WebhookSite
    private let sink: ScriptedServer

    init() throws {
        // A delivery that fails keeps its text, so its pages stay in use.
        sink = try ScriptedServer(.everyRequest(.respond(500)))
        // A stop does not wait for the store to accept the outcomes of attempts.
        site = try WebhookSite(sink, log: false, drainSeconds: 0)
    }

    deinit {
        sink.stop()
    }

    private func path(_ name: String) -> String { site.workspace.directory.path(name) }

    /// Moves the store to a small disk from the next start on.
    private func putStore(on disk: SmallDisk, _ changes: JSONObject = [:]) {
        var changes = changes
        changes.append(
            ["type": "sqlite", "path": .string(disk.path("deskgate.db")), "minimum_free_megabytes": 0], forKey: "store")
        site.change(changes)
    }

    /// Starts the server on a disk that fails according to `setRules`.
    private func startOnFailingDisk(_ environment: [String: String] = [:]) throws -> RunningServer {
        try site.configure()
        let shim = ["LD_PRELOAD": Deskgate.slowDisk, "FAILING_DISK_FILE": path("failing-disk")]
        return try RunningServer(configuration: site.workspace.configuration, environment: shim.merging(environment) { $1 })
    }

    private func setRules(_ rules: String) throws { try site.workspace.write("failing-disk", rules) }

    /// Posts long webhooks, and counts the responses.
    private func post(_ comments: ClosedRange<Int64>, _ server: RunningServer) throws -> [String: Int] {
        let client = try SocketClient(server.publicAddress)
        var answers: [String: Int] = [:]
        for comment in comments {
            let response = try WebhookSite.send(WebhookSite.body(comment, padding: 4000), client)
            answers[try jsonObject(response.text).string("status") ?? "\(response.status)", default: 0] += 1
        }
        return answers
    }

    /// Starts the server on a working disk, and expects that the store opens at once and has the webhooks.
    private func expectEverything(_ comments: ClosedRange<Int64>) throws {
        let server = try site.start()
        #expect(try post(comments, server) == ["duplicate": comments.count])
        #expect(try server.stop() == .exit(0))
        #expect(try !server.process.errors.text().contains("cannot be opened"))
    }

    @Test(.enabled(if: SmallDisk.isPermitted, "only root may mount a small disk"))
    func `a stop on a full disk reports it, and the next start continues`() throws {
        let disk = try SmallDisk()
        putStore(on: disk)
        let server = try site.start()
        #expect(try post(1...20, server) == ["accepted": 20])
        try? disk.fill("ballast", bytes: 4 << 20)
        #expect(try server.stop() == .exit(1))
        let line = try server.process.errors.line(containing: "stopped without closing the store").text
        let reason = try #require(try jsonObject(line).string("reason"))
        #expect(reason.hasPrefix("\(disk.path("deskgate.db")) could not be marked as closed: "))
        #expect(reason.contains("free space on the disk"))
        disk.remove("ballast")
        try expectEverything(1...20)
    }

    @Test(.enabled(if: SmallDisk.isPermitted, "only root may mount a small disk"))
    func `a start on a full disk after a kill continues once there is room`() throws {
        let disk = try SmallDisk()
        let receiver = try ScriptedServer(.everyRequest(.respond(200)))
        defer { receiver.stop() }
        putStore(on: disk, ["notifiers": ["sink": WebhookSite.notifier(receiver)]])
        let first = try site.start()
        #expect(try post(1...20, first) == ["accepted": 20])
        // When delivered events are out of the log, the database contains all data, so SQLite could remove the log.
        #expect(eventually { (try? FileSystem.size(of: disk.path("deskgate.db-wal"))).map { $0 < 10_000 } == true })
        try? disk.fill("ballast", bytes: 4 << 20)
        #expect(try first.stop(SIGKILL) == .signal(SIGKILL))
        let second = try site.start()
        _ = try second.process.errors.line(containing: "the store cannot be opened")
        disk.remove("ballast")
        _ = try second.process.errors.line(containing: "the store is open")
        #expect(try post(1...20, second) == ["duplicate": 20])
        #expect(try second.stop() == .exit(0))
    }

    @Test(arguments: [ENOSPC, EDQUOT, EIO, EROFS])
    func `the next start reads a log that can no longer be written`(error: Int32) throws {
        let server = try startOnFailingDisk()
        #expect(try post(1...3, server) == ["accepted": 3])
        try setRules("write -wal \(error) 1")
        #expect(try post(4...4, server)["accepted"] == nil)
        #expect(try server.stop() == .exit(1))
        _ = try server.process.errors.line(containing: "stopped without closing the store")
        try expectEverything(1...3)
    }

    /// - Parameter each: which of the calls fails during the stop.
    @Test(arguments: [1, 2, 3])
    func `a disk that fails during a stop loses nothing`(each: Int64) throws {
        var last: Int64 = 0
        for call in ["sync -wal", "sync deskgate.db", "write -wal", "write deskgate.db", "truncate -wal", "unlink -wal"] {
            try setRules("")
            let server = try startOnFailingDisk()
            #expect(try post(last + 1...last + 3, server) == ["accepted": 3])
            last += 3
            try setRules("\(call) \(EIO) \(each)")
            let end = try server.stop()
            #expect(end == .exit(0) || end == .exit(1), "\(call)")
        }
        try expectEverything(1...last)
    }

    @Test func `a reader of the store does not make a stop fail`() throws {
        // A stop that waited for the reader would exceed the time after which it is reported as hanging.
        let server = try startOnFailingDisk(["DESKGATE_TIME_LIMIT_FACTOR": "1"])
        #expect(try post(1...1, server) == ["accepted": 1])
        let reader = try Connection(path: path("deskgate.db"), mode: .readOnly)
        let rows = try Statement(reader, "SELECT number FROM events UNION ALL SELECT 1")
        #expect(try rows.step())
        #expect(try post(2...2, server) == ["accepted": 1])
        #expect(try server.stop() == .exit(0))
        #expect(try rows.step(), "it was not disturbed")
        rows.reset()
        try reader.close()
        try expectEverything(1...2)
        #expect(site.workspace.directory.contents().filter { $0.hasPrefix("deskgate.db-") } == [])
    }

    /// - Parameters:
    ///   - call: a system call of the restore; `DIRECTORY` is the name of the store's directory.
    ///   - each: the index of the call that fails.
    @Test(arguments: [
        ("rename -wal", 1), ("unlink -shm", 1), ("rename deskgate.db", 1), ("sync DIRECTORY", 1), ("sync DIRECTORY", 2),
        ("sync DIRECTORY", 3), ("sync DIRECTORY", 4),
    ])
    func `a restore that fails halfway is undone`(call: String, each: Int) throws {
        let server = try site.start()
        #expect(try post(1...1, server) == ["accepted": 1])
        let config = ["--config", site.workspace.configuration]
        #expect(try Deskgate.run(["store", "backup", path("backup.db")] + config).code == 0)
        #expect(try post(2...3, server) == ["accepted": 2])
        #expect(try server.stop(SIGKILL) == .signal(SIGKILL))
        let files = ["deskgate.db", "deskgate.db-wal"]
        let before = try files.map { try File.read(path($0), limit: 1 << 28).bytes }
        let directory = String(site.workspace.directory.path.split(separator: "/").last ?? "")
        try setRules("\(call.replacing("DIRECTORY", with: directory)) \(EIO) \(each)")
        let shim = ["LD_PRELOAD": Deskgate.slowDisk, "FAILING_DISK_FILE": path("failing-disk")]
        let restored = try Deskgate.run(["store", "restore", path("backup.db")] + config, environment: shim)
        #expect(restored.code == 2)
        #expect(restored.errors.hasPrefix("deskgate: nothing was restored: cannot create \(path("deskgate.db"))"))
        #expect(try files.map { try File.read(path($0), limit: 1 << 28).bytes } == before)
        #expect(site.workspace.directory.contents().filter { $0.contains("before-") || $0.contains("restored-") } == [])
        try expectEverything(1...3)
    }
}
