import HTTP2Server
import TestSupport
import Testing
import Threading

@Suite struct LifeCycleTests {
    private static let ok = HTTP2Action.respond(HTTP2Response(status: 200, body: Array("ok".utf8)))

    private func curl(_ port: UInt16) throws -> Command {
        try Command("curl", "-sS", "--http2-prior-knowledge", "http://127.0.0.1:\(port)/")
    }

    @Test func `finishes running requests when it stops`() throws {
        let held = Monitor<HTTP2Stream?>(nil)
        let server = try HTTP2Listener(HTTP2Settings(threads: 2)) { request in
            held.update { held in
                // A request before the server refuses connections must not be held: the test waits for its response.
                guard held == nil else { return Self.ok }
                held = request.stream
                return .wait
            }
        }
        let answer = Monitor<String?>(nil)
        let client = startThread {
            let output = (try? curl(server.port).output) ?? "failed"
            answer.update { $0 = output }
        }
        let stream = held.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0 }
        let stopper = startThread { server.stop(drainMilliseconds: WaitLimit.programMilliseconds) }
        // A stop first refuses new connections.
        #expect(eventually { (try? curl(server.port).status) == 7 })
        stream?.perform(Self.ok)
        client.join()
        stopper.join()
        #expect(answer.withLock { $0 } == "ok")
        #expect(server.counts.open == 0)
    }

    @Test func `interrupts requests at the time limit`() throws {
        let server = try HTTP2Listener(HTTP2Settings()) { _ in .wait }
        let client = startThread { _ = try? curl(server.port) }
        #expect(server.wait { $0.requests == 1 })
        server.stop()
        client.join()
        #expect(server.counts.unanswered == 1)
    }

    @Test func `reports a port in use`() throws {
        let server = try HTTP2Listener(HTTP2Settings()) { _ in Self.ok }
        defer { server.stop() }
        let error = #expect(throws: HTTP2Error.self) { try HTTP2Listener(HTTP2Settings(port: server.port)) { _ in Self.ok } }
        #expect(error?.description.contains("choose another port") == true)
    }

    @Test func `closes connections beyond the limit`() throws {
        let server = try HTTP2Listener(HTTP2Settings(connectionLimit: 1)) { _ in .wait }
        let client = startThread { _ = try? curl(server.port) }
        #expect(server.wait { $0.open == 1 })
        #expect(try curl(server.port).status != 0)
        #expect(server.counts.accepted == 1)
        server.stop()
        client.join()
    }
}
