import HTTPServer
import TestSupport
import Testing

/// Slow clients, which must not delay others.
@Suite struct SlowClientTests {
    /// The library closes an idle connection only after an hour, because a busy machine may keep a client silent for a while.
    private let impatientWithRequests = ServerSettings(idleTimeoutSeconds: 3600, requestTimeoutMilliseconds: 300, threads: 2)
    /// A request that was sent at once may take longer to be read than a busy machine needs.
    private let impatientWithReaders = ServerSettings(requestTimeoutMilliseconds: 3000, threads: 2)

    @Test(arguments: [
        ("", "GET /hello?\(String(repeating: "x", count: 4000))"),
        ("GET /hello HTTP/1.1\r\n", "X: \(String(repeating: "x", count: 4000))"),
        ("POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: 1000\r\n\r\n", String(repeating: "x", count: 999)),
        ("POST /nowhere HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n3e8\r\n", String(repeating: "x", count: 999)),
        ("", String(repeating: "\r\n", count: 4000)),
    ])
    func `closes a connection with a slow request`(atOnce: String, slowly: String) throws {
        let fixture = try ServerFixture(settings: impatientWithRequests)
        defer { fixture.stop() }
        let client = try fixture.client()
        try client.send(atOnce)
        try client.trickle(slowly)
        #expect(status(of: try client.readUntilGone()) == 408)
        #expect(fixture.observed.count(of: 408) == 1)
        #expect(eventually { fixture.server.connectionCount == 0 })
    }

    @Test func `closes a connection whose client does not read`() throws {
        let fixture = try ServerFixture(settings: impatientWithReaders)
        defer { fixture.stop() }
        let client = try fixture.client()
        try client.send(request("GET", path: "/large"))
        #expect(eventually { fixture.observed.count(of: 200) == 1 && fixture.server.connectionCount == 0 })
        #expect(try client.readUntilGone().count < 16 * 1024 * 1024)
    }

    @Test func `closes a silent connection without a status`() throws {
        let fixture = try ServerFixture(settings: impatientWithRequests)
        defer { fixture.stop() }
        #expect(try fixture.client().isClosedByServer())
        #expect(fixture.observed.count(of: 408) == 0)
    }

    /// A header section has five seconds, however long a request with its body may take.
    @Test func `closes a connection whose header section does not arrive`() throws {
        let fixture = try ServerFixture(
            settings: ServerSettings(idleTimeoutSeconds: 3600, requestTimeoutMilliseconds: 3_600_000, threads: 2))
        defer { fixture.stop(drainMilliseconds: 0) }
        let client = try fixture.client()
        try client.send("GET /hello HTTP/1.1\r\n")
        #expect(status(of: try client.readUntilGone()) == 408)
    }

    @Test func `closes an idle connection without a status`() throws {
        let fixture = try ServerFixture(settings: ServerSettings(idleTimeoutSeconds: 5, threads: 2))
        defer { fixture.stop() }
        let kept = try fixture.client()
        try kept.send(request("GET", path: "/hello"))
        #expect(try kept.readResponse().status == 200)
        #expect(try kept.isClosedByServer())
        #expect(fixture.observed.count(of: 408) == 0)
    }

    @Test func `answers other clients during a slow one`() throws {
        let fixture = try ServerFixture()
        defer { fixture.stop(drainMilliseconds: 0) }
        let slow = try (0..<200).map { _ in try fixture.client() }
        for (number, client) in slow.enumerated() {
            try client.send(request("POST", path: "/echo", body: "body").utf8.prefix(number % 60))
        }
        let client = try fixture.client()
        try client.send(request("POST", path: "/later", body: "prompt"))
        #expect(try client.readResponse().text == "prompt")
        #expect(eventually { fixture.server.connectionCount == slow.count + 1 })
    }
}
