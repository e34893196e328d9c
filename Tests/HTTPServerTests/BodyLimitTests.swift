import HTTPServer
import TestSupport
import Testing
import Threading

@Suite struct BodyLimitTests {
    private let atLimit = String(repeating: "x", count: ServerFixture.bodyLimit)
    private let overLimit = String(repeating: "x", count: ServerFixture.bodyLimit + 1)
    private let chunkedHead = "POST /echo HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n"

    @Test(arguments: ["/echo", "/later"])
    func `accepts a body at the limit and rejects one above it`(path: String) throws {
        let fixture = try ServerFixture()
        defer { fixture.stop() }
        let client = try fixture.client()
        try client.send(
            request("POST", path: path, body: atLimit) + request("POST", path: path, body: overLimit) + request("GET", path: "/hello"))
        #expect(try client.readResponse().text == atLimit)
        #expect(try client.readResponse().status == 413)
        #expect(try client.readResponse().text == "hello")
    }

    @Test(arguments: ["gzip", "deflate", "br", "GZIP", "x-gzip\t", "identity, gzip", "aes128gcm"])
    func `rejects an encoded body`(encoding: String) throws {
        let fixture = try ServerFixture()
        defer { fixture.stop() }
        let client = try fixture.client()
        let encoded = "Content-Encoding: \(encoding)\r\n"
        try client.send(request("POST", path: "/echo", body: atLimit, headers: encoded) + request("GET", path: "/hello", headers: encoded))
        let refusal = try client.readResponse()
        #expect(refusal.status == 415)
        #expect(refusal.headers["accept-encoding"] == "identity")
        #expect(refusal.text.contains("encoded_body"))
        // Without a body the header has no effect.
        #expect(try client.readResponse().text == "hello")
        let second = try fixture.client()
        try second.send("POST /echo HTTP/1.1\r\nHost: test\r\n\(encoded)Transfer-Encoding: chunked\r\n\r\n" + chunked("body"))
        #expect(try second.readResponse().status == 415)
    }

    @Test(arguments: ["identity", "Identity \t", ""])
    func `accepts a body without an encoding`(encoding: String) throws {
        let fixture = try ServerFixture()
        defer { fixture.stop() }
        let client = try fixture.client()
        try client.send(request("POST", path: "/echo", body: atLimit, headers: "Content-Encoding: \(encoding)\r\n"))
        #expect(try client.readResponse().text == atLimit)
    }

    @Test func `counts chunked bodies in the same way`() throws {
        let fixture = try ServerFixture()
        defer { fixture.stop() }
        let (first, second) = (try fixture.client(), try fixture.client())
        try first.send(chunkedHead + chunked(atLimit))
        #expect(try first.readResponse().text == atLimit)
        try second.send(chunkedHead + chunked(overLimit))
        #expect(try second.readResponse().status == 413)
    }

    @Test(arguments: [false, true])
    func `rejects a large body without room`(isChunked: Bool) throws {
        let peers = Monitor<[String]>([])
        let pressure = ConnectionPressure(onBodyWithoutRoom: { peer in peers.update { $0.append(peer) } })
        let fixture = try ServerFixture(settings: ServerSettings(threads: 2, bodyMemory: 130_000), pressure: pressure)
        defer { fixture.stop() }
        let large = String(repeating: "x", count: 70_000)
        let head = "POST /count HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n"
        let another = isChunked ? head + chunked(large) : request("POST", path: "/count", body: large)
        let (first, second) = (try fixture.client(), try fixture.client())
        try first.send(request("POST", path: "/heldBody", body: large + large))
        let pending = try fixture.held.next()
        // A client that only announces a large body takes no room.
        let announcer = try fixture.client()
        try announcer.send("POST /count HTTP/1.1\r\nHost: test\r\nContent-Length: 1000000\r\nExpect: 100-continue\r\n\r\n")
        #expect(try announcer.readResponse().status == 100)
        try second.send(another)
        let refusal = try second.readResponse()
        #expect(refusal.status == 503)
        #expect(refusal.text.contains("too_many_bodies"))
        #expect(refusal.headers["retry-after"] == "1")
        #expect(peers.withLock { $0.map { $0.hasPrefix("127.0.0.1:") } } == [true])
        #expect(pending.respond(ServerFixture.text(200, "first")))
        #expect(try first.readResponse().text == "first")
        // The room is freed a moment after the client has the response.
        #expect(
            eventually {
                guard let third = try? fixture.client(), (try? third.send(another)) != nil else { return false }
                return (try? third.readResponse())?.text == "70000"
            })
    }

    @Test func `rejects a body that waits for 100 Continue`() throws {
        let fixture = try ServerFixture()
        defer { fixture.stop() }
        let client = try fixture.client()
        try client.send("POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: 1025\r\nExpect: 100-continue\r\n\r\n")
        #expect(try client.readResponse().status == 413)
        #expect(try client.isClosedByServer())
    }

    @Test(arguments: [("POST", "/nowhere", 404), ("POST", "/hello", 405)])
    func `rejects at once if the route accepts no body`(method: String, path: String, expected: Int) throws {
        let fixture = try ServerFixture()
        defer { fixture.stop() }
        let client = try fixture.client()
        try client.send(request(method, path: path, headers: "Content-Length: 4\r\nExpect: 100-continue\r\n"))
        #expect(try client.readResponse().status == expected)
        #expect(try client.isClosedByServer())
    }

    @Test func `does not drain a huge body`() throws {
        let fixture = try ServerFixture()
        defer { fixture.stop() }
        let client = try fixture.client()
        try client.send(request("POST", path: "/echo", headers: "Content-Length: 99999999999\r\n"))
        #expect(try client.readResponse().status == 413)
        #expect(try client.isClosedByServer())
    }

    @Test(arguments: ["/echo", "/nowhere"])
    func `ends an endless body`(path: String) throws {
        let fixture = try ServerFixture()
        defer { fixture.stop() }
        let client = try fixture.client()
        try client.send("POST \(path) HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n")
        let chunk = Array("10000\r\n\(String(repeating: "x", count: 0x10000))\r\n".utf8)
        var sent = 0
        while sent < 1000, (try? client.send(chunk)) != nil { sent += 1 }
        #expect(sent < 1000)
        #expect(status(of: try client.readUntilGone()) == 413)
        #expect(fixture.observed.count(of: 413) == 1)
        #expect(eventually { fixture.server.connectionCount == 0 })
    }

    @Test(arguments: [("8;name=value", "abcdefgh"), ("8;\(String(repeating: "x", count: 4000))", "abcdefgh")])
    func `ignores chunk extensions`(size: String, body: String) throws {
        let fixture = try ServerFixture()
        defer { fixture.stop() }
        let client = try fixture.client()
        try client.send(chunkedHead + "\(size)\r\n\(body)\r\n0\r\nTrailer: x\r\n\r\n")
        #expect(try client.readResponse().text == body)
    }

    @Test func `ends an endless chunk extension`() throws {
        let fixture = try ServerFixture()
        defer { fixture.stop() }
        let client = try fixture.client()
        try client.send(chunkedHead + "8;")
        let filler = Array(repeating: UInt8(ascii: "x"), count: 65536)
        var sent = 0
        while sent < 1000, (try? client.send(filler)) != nil { sent += 1 }
        #expect(sent < 1000)
        #expect(eventually { fixture.server.connectionCount == 0 })
    }

    @Test func `accepts bodies of GET`() throws {
        let fixture = try ServerFixture()
        defer { fixture.stop() }
        let client = try fixture.client()
        try client.send(request("GET", path: "/hello", body: "x") + request("GET", path: "/hello"))
        #expect(try client.readResponse().status == 413)
        #expect(try client.readResponse().status == 200)
    }
}
