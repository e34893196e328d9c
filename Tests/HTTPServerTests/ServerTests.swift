import HTTPServer
import TestSupport
import Testing

@Suite struct ServerTests {
    private func request(_ method: String, path: String, body: String = "", headers: String = "") -> String {
        let length = body.isEmpty ? "" : "Content-Length: \(body.utf8.count)\r\n"
        return "\(method) \(path) HTTP/1.1\r\nHost: test\r\n\(length)\(headers)\r\n\(body)"
    }

    @Test func `answers on persistent connections`() throws {
        let fixture = try ServerFixture()
        defer { fixture.stop() }
        let client = try fixture.client()
        for number in 1...50 {
            try client.send(request("POST", path: "/echo", body: "body \(number)"))
            let response = try client.readResponse()
            #expect(response.status == 200)
            #expect(response.text == "body \(number)")
        }
        #expect(fixture.observed.count(of: 200) == 50)
    }

    @Test func `answers pipelined requests in order`() throws {
        let fixture = try ServerFixture()
        defer { fixture.stop() }
        let client = try fixture.client()
        try client.send(
            request("POST", path: "/later", body: "one") + request("POST", path: "/echo", body: "two") + request("GET", path: "/hello"))
        #expect(try client.readResponse().text == "one")
        #expect(try client.readResponse().text == "two")
        #expect(try client.readResponse().text == "hello")
    }

    @Test func `answers a pipelined request after an early error`() throws {
        let fixture = try ServerFixture()
        defer { fixture.stop() }
        let client = try fixture.client()
        try client.send(request("POST", path: "/nowhere", body: "a body that nobody wants") + request("GET", path: "/hello"))
        #expect(try client.readResponse().status == 404)
        #expect(try client.readResponse().text == "hello")
    }

    @Test func `answers HEAD without a body`() throws {
        let fixture = try ServerFixture()
        defer { fixture.stop() }
        let client = try fixture.client()
        try client.send(request("HEAD", path: "/hello") + request("GET", path: "/hello"))
        let head = try client.readResponse(hasBody: false)
        #expect(head.status == 200)
        #expect(head.headers["content-length"] == "5")
        #expect(try client.readResponse().text == "hello")
    }

    @Test func `requests the body from a client that expects 100 Continue`() throws {
        let fixture = try ServerFixture()
        defer { fixture.stop() }
        let client = try fixture.client()
        try client.send("POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n")
        #expect(try client.readResponse().status == 100)
        try client.send("body")
        #expect(try client.readResponse().text == "body")
    }

    @Test func `reads chunked bodies`() throws {
        let fixture = try ServerFixture()
        defer { fixture.stop() }
        let client = try fixture.client()
        try client.send("POST /echo HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")
        #expect(try client.readResponse().text == "abcde")
    }

    @Test func `answers a suspended request`() throws {
        let fixture = try ServerFixture()
        defer { fixture.stop() }
        let client = try fixture.client()
        try client.send(request("POST", path: "/held"))
        let pending = try fixture.held.next()
        let other = try fixture.client()
        try other.send(request("GET", path: "/hello"))
        #expect(try other.readResponse().text == "hello")
        #expect(pending.respond(ServerFixture.text(201, "at last")) == true)
        #expect(try client.readResponse().text == "at last")
    }

    @Test func `answers a request that a handler dropped`() throws {
        let fixture = try ServerFixture()
        defer { fixture.stop() }
        let client = try fixture.client()
        try client.send(request("POST", path: "/dropped"))
        #expect(try client.readResponse().status == 500)
    }

    @Test func `answers a suspended request whose deadline has passed`() throws {
        let fixture = try ServerFixture(settings: ServerSettings(threads: 1))
        defer { fixture.stop() }
        let client = try fixture.client()
        try client.send(request("POST", path: "/overdue"))
        let response = try client.readResponse()
        #expect(response.status == 503)
        #expect(response.headers["retry-after"] == "1")
        #expect(try fixture.held.next().respond(ServerFixture.text(200, "late")) == false)
    }

    @Test func `a late response is never sent for the next request`() throws {
        let fixture = try ServerFixture(settings: ServerSettings(threads: 1))
        defer { fixture.stop() }
        let client = try fixture.client()
        // The second request has already arrived when the first one times out.
        try client.send(request("POST", path: "/overdue") + request("POST", path: "/held"))
        #expect(try client.readResponse().status == 503)
        let late = try fixture.held.next()
        #expect(try client.isClosedByServer())
        #expect(late.respond(ServerFixture.text(200, "late")) == false)
        let other = try fixture.client()
        try other.send(request("POST", path: "/held"))
        #expect(try fixture.held.next().respond(ServerFixture.text(201, "in time")))
        #expect(try other.readResponse().text == "in time")
    }

    @Test(arguments: [("X-Test: abc\r\n", "3"), ("x-test:\r\n", "0"), ("", "none")])
    func `finds headers`(header: String, expected: String) throws {
        let fixture = try ServerFixture()
        defer { fixture.stop() }
        let client = try fixture.client()
        try client.send(request("GET", path: "/header", headers: header))
        #expect(try client.readResponse().text == expected)
    }

    @Test func `the server listens on IPv6`() throws {
        let fixture = try ServerFixture(.tcp(host: "::1", port: 0))
        defer { fixture.stop() }
        let client = try fixture.client()
        try client.send(request("GET", path: "/hello"))
        #expect(try client.readResponse().text == "hello")
        #expect(fixture.server.address.description.hasPrefix("[::1]:"))
    }
}
