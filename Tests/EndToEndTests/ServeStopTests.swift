import Glibc
import HTTPServer
import JSON
import TestSupport
import Testing

/// `deskgate serve`: how it ends.
@Suite struct ServeStopTests {
    @Test(arguments: [SIGTERM, SIGINT])
    func `requests in flight are answered`(_ signal: Int32) throws {
        // An hour, which is longer than the test needs for the rest of a request.
        let workspace = try Workspace(["shutdown": ["drain_seconds": 3600]])
        let server = try RunningServer(workspace)
        let (publicSocket, adminSocket) = try (ListeningSockets(at: server.publicAddress), ListeningSockets(at: server.adminAddress))
        let idle = try SocketClient(server.publicAddress)
        let key = try workspace.key()
        #expect(try idle.authorize(key).status == 200)
        let slow = try SlowRequest(server.publicAddress, key)
        server.process.send(signal)
        _ = try server.process.errors.line(containing: "stopping")
        // The listener closes a moment after the log line.
        #expect(publicSocket.areGone())
        #expect(server.process.isRunning)
        let answer = try slow.finish()
        #expect(answer.status == 200)
        #expect(answer.headers["connection"]?.lowercased() == "close")
        #expect(try slow.client.isClosedByServer())
        #expect(try idle.isClosedByServer())
        #expect(try server.process.waitForEnd() == .exit(0))
        #expect(adminSocket.areGone())
        _ = try server.process.errors.line(containing: "stopped")
    }

    @Test(arguments: [0, 1] as [Int64])
    func `a request beyond the drain time is interrupted`(_ seconds: Int64) throws {
        let workspace = try Workspace(["shutdown": ["drain_seconds": .integer(seconds)]])
        let server = try RunningServer(workspace)
        let slow = try SlowRequest(server.publicAddress, workspace.key())
        #expect(try server.stop() == .exit(0))
        #expect(slow.isCutOff())
        _ = try server.process.errors.line(containing: "stopped")
    }

    @Test(arguments: [(SIGTERM, SIGTERM), (SIGINT, SIGINT), (SIGTERM, SIGINT)])
    func `a second signal ends it at once`(_ first: Int32, _ second: Int32) throws {
        // An hour, which is longer than the test waits.
        let workspace = try Workspace(["shutdown": ["drain_seconds": 3600]])
        let server = try RunningServer(workspace)
        let slow = try SlowRequest(server.publicAddress, workspace.key())
        server.process.send(first)
        _ = try server.process.errors.line(containing: "stopping")
        #expect(server.process.isRunning)
        #expect(try server.stop(second) == .signal(second))
        #expect(slow.isCutOff())
    }

    @Test func `no delivery starts while requests are drained`() throws {
        let sink = try ScriptedServer(.everyRequest(.awaitRelease, .respond(200)))
        defer { sink.stop() }
        let site = try WebhookSite(sink, concurrency: 1, log: false, drainSeconds: 3600)
        let server = try site.start()
        let client = try SocketClient(server.publicAddress)
        for comment in 1...2 as ClosedRange<Int64> { #expect(try WebhookSite.post(comment, client) == "accepted") }
        #expect(sink.waitForRequests(1))
        let slow = try SlowRequest(server.publicAddress, site.workspace.key())
        server.process.send(SIGTERM)
        _ = try server.process.errors.line(containing: "stopping")
        sink.release()
        let delivered = #"deskgate_deliveries_total{notifier="sink",outcome="delivered""#
        #expect(eventually { (try? PushSite.get(server.adminAddress, "/metrics"))?.contains(delivered) == true })
        #expect(try slow.finish().status == 200)
        #expect(try server.process.waitForEnd() == .exit(0))
        #expect(sink.requests.count == 1)
    }

    @Test func `without requests the stop does not wait`() throws {
        // An hour, which is longer than the test waits.
        let server = try RunningServer(Workspace(["shutdown": ["drain_seconds": 3600]]))
        let idle = try SocketClient(server.publicAddress)
        #expect(try server.stop() == .exit(0))
        #expect(try idle.isClosedByServer())
    }

    @Test func `signals before it serves are handled`() throws {
        let workspace = try Workspace()
        let process = try RunningServer.start(workspace.configuration)
        // The test passes if the signal arrives before or after the program blocks signals.
        process.send(SIGTERM)
        let end = try process.waitForEnd()
        #expect(end == .exit(0) || end == .signal(SIGTERM))
    }

    @Test func `starts again on the same port at once`() throws {
        let port = try freePort()
        let workspace = try Workspace(["listen": Workspace.listener(port: port)])
        let first = try RunningServer(workspace)
        let key = try workspace.key()
        // The server closes this connection first, so its socket stays in TIME_WAIT.
        let client = try SocketClient(first.publicAddress)
        #expect(try client.authorize(key).status == 200)
        #expect(try first.stop() == .exit(0))
        let second = try RunningServer(workspace)
        #expect(second.publicAddress == .tcp(host: "127.0.0.1", port: port))
        #expect(try second.authorize(key).status == 200)
        #expect(try second.stop() == .exit(0))
    }

    @Test func `the next start reuses the socket of a killed server`() throws {
        let workspace = try Workspace(Workspace.unixListeners)
        let first = try RunningServer(workspace)
        #expect(try first.stop(SIGKILL) == .signal(SIGKILL))
        #expect(workspace.directory.contents().contains("public.sock"))
        let second = try RunningServer(workspace)
        #expect(try second.authorize(workspace.key()).status == 200)
        #expect(try second.stop() == .exit(0))
        #expect(!workspace.directory.contents().contains("public.sock"))
    }

    @Test func `a hundred restarts leave nothing behind`() throws {
        let workspace = try Workspace(Workspace.unixListeners)
        let temporary = try TemporaryDirectory()
        let key = try workspace.key()
        // The first run creates the database, which stays.
        #expect(try RunningServer(configuration: workspace.configuration).stop() == .exit(0))
        let before = workspace.directory.contents()
        for _ in 0..<100 {
            let server = try RunningServer(configuration: workspace.configuration, environment: ["TMPDIR": temporary.path])
            #expect(try server.authorize(key).status == 200)
            #expect(try server.stop() == .exit(0))
        }
        #expect(workspace.directory.contents() == before)
        #expect(temporary.contents().isEmpty)
    }
}

/// A request of which the server has the header section and half of the body.
private struct SlowRequest {
    let client: SocketClient
    private let rest: ArraySlice<UInt8>

    init(_ address: ListenAddress, _ key: String) throws {
        let body = SocketClient.body(key)
        client = try SocketClient(address)
        try client.send(
            "POST /pyrus/authorize HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.count)\r\nExpect: 100-continue\r\n\r\n")
        // Proves that the server has begun to process the request.
        #expect(try client.readResponse().status == 100)
        try client.send(body[..<(body.count / 2)])
        rest = body[(body.count / 2)...]
    }

    /// Whether the server closes the connection without a decision.
    func isCutOff() -> Bool {
        do {
            return String(decoding: try client.readToEnd(), as: UTF8.self).wholeMatch(of: /|HTTP\/1.1 408 (.|\r\n)*/) != nil
        } catch SocketClient.Failure.reset {
            return true
        } catch {
            return false
        }
    }

    /// Sends the rest, and reads the response.
    func finish() throws -> ReceivedResponse {
        try client.send(rest)
        return try client.readResponse()
    }
}
