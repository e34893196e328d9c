import HTTPServer
import JSON
import SQLite
import TestSupport
import Testing

/// Webhooks with the whole program during failures: accepted events arrive, and others are refused.
///
/// Each test prints its numbers.
@Suite struct WebhookFaultTests {
    @Test(.enabled(if: SmallDisk.isPermitted, "only root may mount a small disk"))
    func `a disk is full for a while`() throws {
        let disk = try SmallDisk(megabytes: 48)
        try disk.fill("ballast", bytes: 40 << 20)
        // No event arrives before the disk is full, because deliveries free space.
        let sink = try ScriptedServer(.everyRequest(.awaitRelease, .respond(200)))
        defer { sink.stop() }
        let store: JSONObject = ["type": "sqlite", "path": .string(disk.path("deskgate.db")), "minimum_free_megabytes": 0]
        let site = try WebhookSite(sink, log: false, ["store": .object(store)])
        let server = try site.start()
        let client = try SocketClient(server.publicAddress)
        var accepted: Set<Int64> = []
        var refusal: ReceivedResponse?
        while refusal == nil, accepted.count < 1000 {
            let comment = Int64(accepted.count)
            let response = try WebhookSite.send(WebhookSite.body(comment, padding: 100_000), client)
            if response.status == 200 { accepted.insert(comment) } else { refusal = response }
        }
        try expect(refusal, "disk_full", retryAfter: "60")
        #expect(try server.authorize(site.workspace.key()).status == 200)
        disk.remove("ballast")
        sink.release(100_000)
        try acceptAgain(5000, server)
        accepted.insert(5000)
        try expectAll(accepted, at: sink, "disk full")
        #expect(try server.stop() == .exit(0))
    }

    @Test func `a disk has less free space than the minimum`() throws {
        let sink = try ScriptedServer(.everyRequest(.respond(200)))
        defer { sink.stop() }
        let store: JSONObject = ["type": "sqlite", "path": "deskgate.db", "minimum_free_megabytes": 1_000_000]
        let site = try WebhookSite(sink, log: false, ["store": .object(store)])
        let first = try site.start()
        #expect(eventually { (try? ready(first).status) == 503 })
        #expect(try ready(first).text == #"{"status":"not_ready","authorization":"ready"}"#)
        let status = try Deskgate.run("status", "--json", "--config", site.workspace.configuration)
        #expect(status.code == 1)
        #expect(status.output.contains("store: disk_full, "))
        try expect(WebhookSite.send(WebhookSite.body(1), SocketClient(first.publicAddress)), "disk_full", retryAfter: "60")
        #expect(try first.authorize(site.workspace.key()).status == 200)
        #expect(try first.stop() == .exit(0))
        site.change([:])
        let second = try site.start()
        try acceptAgain(1, second)
        try expectAll([1], at: sink, "disk below its floor")
        #expect(try second.stop() == .exit(0))
    }

    @Test func `another process locks the database for a while`() throws {
        let sink = try ScriptedServer(.everyRequest(.respond(200)))
        defer { sink.stop() }
        let site = try WebhookSite(sink, log: false)
        let server = try site.start()
        let client = try SocketClient(server.publicAddress)
        for comment in 1...20 as ClosedRange<Int64> { #expect(try WebhookSite.post(comment, client) == "accepted") }
        let tool = try Connection(path: site.workspace.directory.path("deskgate.db"), mode: .readWriteCreate)
        tool.setBusyTimeout(milliseconds: Int32(WaitLimit.milliseconds))
        try tool.transaction { () throws(SQLiteError) in
            do {
                try expect(WebhookSite.send(WebhookSite.body(21), client), "unavailable", retryAfter: "5")
                #expect(try ready(server).status == 503)
                #expect(try server.authorize(site.workspace.key()).status == 200)
            } catch {
                Issue.record(error)
            }
        }
        try tool.close()
        try acceptAgain(21, server)
        try expectAll(Set(1...21), at: sink, "database locked")
        #expect(try server.stop() == .exit(0))
    }

    /// Faults of a sink, by the name under which the numbers are printed.
    private static let wrongs: [(name: String, steps: [ScriptedStep])] = [
        ("hangs", [.hang]), ("resets", [.reset]), ("answers garbage", [.send("this is no HTTP\r\n\r\n"), .close]),
        ("redirects", [.respond(307, headers: ["Location: http://127.0.0.1:1/"])]),
        ("has no end", [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), .sendForever(Array("5\r\nabcde\r\n".utf8))]),
        ("has no end of headers", [.send("HTTP/1.1 200 OK\r\n"), .sendForever(Array("X-Some: header\r\n".utf8))]),
    ]

    @Test(arguments: wrongs.indices)
    func `a faulty sink does not affect another one`(_ index: Int) throws {
        let wrong = Self.wrongs[index]
        let (sink, bad) = (try ScriptedServer(.everyRequest(.respond(200))), try ScriptedServer(.requests([wrong.steps])))
        defer {
            sink.stop()
            bad.stop()
        }
        let site = try WebhookSite(
            sink,
            [
                "apps": [WebhookSite.app(notifiers: ["bad", "sink"])],
                "notifiers": [
                    "sink": WebhookSite.notifier(sink), "bad": WebhookSite.notifier(bad, secret: "other.whsec"),
                ],
            ])
        let server = try site.start()
        let client = try SocketClient(server.publicAddress)
        for comment in 1...40 as ClosedRange<Int64> { #expect(try WebhookSite.post(comment, client) == "accepted") }
        #expect(bad.waitForRequests(1))
        try expectAll(Set(1...40), at: sink, "another sink \(wrong.name)")
        #expect(try server.authorize(site.workspace.key()).status == 200)
        #expect(try ready(server).text == #"{"status":"ready"}"#)
        server.process.send(9)
        #expect(try server.process.waitForEnd() == .signal(9))
    }

    private func ready(_ server: RunningServer) throws -> ReceivedResponse {
        let client = try SocketClient(server.publicAddress)
        try client.send("GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        return try client.readResponse()
    }

    private func expect(_ response: ReceivedResponse?, _ error: String, retryAfter: String) throws {
        let response = try #require(response, "nothing was refused")
        #expect(response.status == 503)
        #expect(response.headers["retry-after"] == retryAfter)
        #expect(try jsonObject(response.text).string("error") == error)
    }

    /// Posts again, like the help desk, until the event is accepted.
    private func acceptAgain(_ comment: Int64, _ server: RunningServer) throws {
        #expect(eventually { (try? ready(server).status) == 200 }, "it finds out by itself")
        #expect(try WebhookSite.post(comment, SocketClient(server.publicAddress)) == "accepted")
    }

    /// Waits until all comments have arrived, each with one id, and prints the numbers.
    private func expectAll(_ accepted: Set<Int64>, at sink: ScriptedServer, _ name: String) throws {
        var arrived: [Int64: Set<String>] = [:]
        var requests = 0
        for _ in 0..<3 where !accepted.isSubset(of: arrived.keys) {
            _ = eventually {
                let all = sink.requests
                for request in all.dropFirst(requests) {
                    guard let comment = try? WebhookSite.comment(of: request) else { continue }
                    arrived[comment, default: []].insert(request.header("webhook-id") ?? "none")
                }
                requests = all.count
                return accepted.isSubset(of: arrived.keys)
            }
        }
        let lost = accepted.subtracting(arrived.keys).count
        print("\(name): accepted=\(accepted.count) arrived=\(arrived.count) lost=\(lost) duplicates=\(requests - arrived.count)")
        #expect(lost == 0)
        #expect(arrived.values.allSatisfy { $0.count == 1 && !$0.contains("none") })
    }
}
