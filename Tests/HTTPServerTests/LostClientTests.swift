import HTTPServer
import TestSupport
import Testing

/// Clients that disconnect early or late, and clients that do not wait.
@Suite struct LostClientTests {
    @Test(arguments: [
        request("POST", path: "/echo", body: "body"), request("POST", path: "/later", body: "body"),
        "POST /echo HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked("body"),
    ])
    func `survives a disconnect at every byte`(text: String) throws {
        // libmicrohttpd misses an end that arrives together with the last data; then the timeout ends the connection.
        let fixture = try ServerFixture(settings: ServerSettings(idleTimeoutSeconds: 1, requestTimeoutMilliseconds: 1000, threads: 2))
        defer { fixture.stop() }
        for length in 0..<text.utf8.count {
            let client = try fixture.client()
            try client.send(text.utf8.prefix(length))
        }
        #expect(eventually { fixture.server.connectionCount == 0 })
        #expect(fixture.observed.count(of: 200) == 0)
        // Repeated if a busy machine keeps a client silent for longer than the idle timeout.
        #expect(
            eventually {
                guard let client = try? fixture.client(), (try? client.send(text)) != nil else { return false }
                return (try? client.readResponse())?.text == "body"
            })
    }

    @Test func `survives a disconnect after every byte of a response`() throws {
        let fixture = try ServerFixture()
        defer { fixture.stop() }
        for _ in 0..<50 {
            try fixture.client().send(request("POST", path: "/later", body: "body"))
            try fixture.client().send(request("GET", path: "/large"))
        }
        #expect(eventually { fixture.server.connectionCount == 0 })
    }

    @Test func `a response to a disconnected client is harmless`() throws {
        let fixture = try ServerFixture()
        defer { fixture.stop() }
        var client: SocketClient? = try fixture.client()
        try client?.send(request("POST", path: "/held"))
        let pending = try fixture.held.next()
        client = nil
        _ = pending.respond(ServerFixture.text(200, "to nobody"))
        #expect(eventually { fixture.server.connectionCount == 0 })
    }

    @Test func `responds to a client that has finished sending`() throws {
        let fixture = try ServerFixture()
        defer { fixture.stop() }
        let client = try fixture.client()
        try client.send(request("POST", path: "/echo", body: "body"))
        client.finishSending()
        #expect(try client.readResponse().text == "body")
    }

    @Test func `releases a suspended client that has finished sending`() throws {
        let fixture = try ServerFixture(settings: ServerSettings(idleTimeoutSeconds: 10, threads: 1))
        defer { fixture.stop() }
        let client = try fixture.client()
        try client.send(request("POST", path: "/held"))
        let pending = try fixture.held.next()
        client.finishSending()
        #expect(pending.respond(ServerFixture.text(200, "late")) == true)
        // Answered or closed: libmicrohttpd may read the end of the client's data before the response is ready.
        #expect([200, nil].contains(status(of: try client.readUntilGone())))
        #expect(eventually { fixture.server.connectionCount == 0 })
    }

    @Test func `closes on a short body`() throws {
        let fixture = try ServerFixture(settings: ServerSettings(idleTimeoutSeconds: 1, requestTimeoutMilliseconds: 1000, threads: 2))
        defer { fixture.stop() }
        let client = try fixture.client()
        try client.send(request("POST", path: "/echo", headers: "Content-Length: 5\r\n") + "body")
        client.finishSending()
        _ = try client.readUntilGone()
        #expect(eventually { fixture.server.connectionCount == 0 })
        #expect(fixture.observed.count(of: 200) == 0)
    }

    @Test func `keeps the order after a suspended request`() throws {
        let fixture = try ServerFixture()
        defer { fixture.stop() }
        let client = try fixture.client()
        try client.send(request("POST", path: "/held") + request("POST", path: "/later", body: "two") + request("GET", path: "/hello"))
        let pending = try fixture.held.next()
        #expect(fixture.observed.count(of: 200) == 0)
        pending.respond(ServerFixture.text(201, "one"))
        #expect(try client.readResponse().text == "one")
        #expect(try client.readResponse().text == "two")
        #expect(try client.readResponse().text == "hello")
    }

    @Test(arguments: ["/echo", "/later"])
    func `answers a thousand pipelined requests`(path: String) throws {
        let fixture = try ServerFixture()
        defer { fixture.stop() }
        let client = try fixture.client()
        try client.send((0..<1000).map { request("POST", path: path, body: "body \($0)") }.joined())
        for number in 0..<1000 {
            #expect(try client.readResponse().text == "body \(number)")
        }
        #expect(fixture.observed.count(of: 200) == 1000)
    }
}
