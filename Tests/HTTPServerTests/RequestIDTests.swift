import HTTPServer
import TestSupport
import Testing

/// Every response has its request's id.
@Suite struct RequestIDTests {
    private func id(_ response: ReceivedResponse) -> String { response.headers["x-request-id"] ?? "" }

    private func named(_ id: String, _ path: String = "/hello") -> String { request("GET", path: path, headers: "X-Request-Id: \(id)\r\n") }

    @Test func `is unique`() throws {
        let fixture = try ServerFixture()
        defer { fixture.stop() }
        var ids: [String] = []
        for _ in 0..<3 {
            let client = try fixture.client()
            for _ in 0..<40 {
                try client.send(request("GET", path: "/hello"))
                let response = try client.readResponse()
                #expect(response.text == "hello")
                ids.append(id(response))
            }
        }
        #expect(Set(ids).count == 120)
        for id in ids { #expect(id.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{16}/) != nil) }
    }

    @Test(arguments: ["a", "A-Z_0.9", String(repeating: "x", count: 64)])
    func `accepts a plain word`(_ given: String) throws {
        let fixture = try ServerFixture()
        defer { fixture.stop() }
        let client = try fixture.client()
        try client.send(named(given))
        #expect(id(try client.readResponse()) == given)
    }

    @Test(arguments: ["", String(repeating: "x", count: 65), "a b", "a\"b", "a=b", "a\u{E9}", "a/b", "a\u{1B}[2J", "a,b"])
    func `accepts no other text`(_ given: String) throws {
        let fixture = try ServerFixture()
        defer { fixture.stop() }
        let client = try fixture.client()
        try client.send(named(given))
        #expect(id(try client.readResponse()).wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{16}/) != nil)
    }

    /// A response must contain nothing of the previous one, for any lengths.
    @Test func `keeps pipelined requests separate`() throws {
        let fixture = try ServerFixture()
        defer { fixture.stop() }
        let client = try fixture.client()
        let given = ["one", "two", "a-longer-one", "b", String(repeating: "c", count: 64), "dd", "dd"]
        try client.send(given.map { named($0) + named($0, "/nowhere") }.joined() + request("GET", path: "/hello") + named("last"))
        for name in given {
            #expect(id(try client.readResponse()) == name)
            let missing = try client.readResponse()
            #expect(missing.status == 404)
            #expect(id(missing) == name)
        }
        #expect(id(try client.readResponse()).utf8.count == 25)
        #expect(id(try client.readResponse()) == "last")
    }

    @Test(arguments: [
        ("GET", "/hello", 200), ("GET", "/large", 200), ("POST", "/later", 200), ("POST", "/dropped", 500), ("POST", "/overdue", 503),
        ("GET", "/nowhere", 404), ("DELETE", "/hello", 405), ("POST", "/hello", 405),
    ])
    func `is in every response`(method: String, path: String, status: Int) throws {
        let fixture = try ServerFixture()
        defer { fixture.stop(drainMilliseconds: 0) }
        let client = try fixture.client()
        try client.send(request(method, path: path, headers: "X-Request-Id: r-1\r\n\(method == "POST" ? "Content-Length: 0\r\n" : "")"))
        let response = try client.readResponse()
        #expect(response.status == status)
        #expect(id(response) == "r-1")
    }

    @Test(arguments: [
        ("POST /echo HTTP/1.1\r\nHost: t\r\nX-Request-Id: r-1\r\nContent-Length: 1025\r\nExpect: 100-continue\r\n\r\n", 413, "r-1"),
        ("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 4\r\nX-Request-Id: r-1\r\nContent-Length: 4\r\n\r\n", 400, "r-1"),
        ("GET /hello HTTP/1.1\r\nHost: t\r\nX-Request-Id: r-1\r\nX: a\rb\r\n\r\n", 400, nil),
        ("GET /hello HTTP/1.1\nHost: t\r\nX-Request-Id: r-1\r\n\r\n", 400, nil),
        ("POST /echo HTTP/1.1\r\nHost: t\r\nX-Request-Id: r-1\r\nContent-Length: 9\r\n\r\n", 408, nil),
    ])
    func `is in error responses`(text: String, status: Int, name: String?) throws {
        let fixture = try ServerFixture(settings: ServerSettings(requestTimeoutMilliseconds: status == 408 ? 100 : 30_000, threads: 1))
        defer { fixture.stop(drainMilliseconds: 0) }
        let client = try fixture.client()
        try client.send(text)
        let response = try client.readResponse()
        #expect(response.status == status)
        if let name { #expect(id(response) == name) } else { #expect(id(response).utf8.count == 25) }
    }

    @Test func `is in the response to a rejected connection`() throws {
        let fixture = try ServerFixture(settings: ServerSettings(connectionLimit: 1, threads: 1))
        defer { fixture.stop() }
        let first = try fixture.client()
        try first.send(request("POST", path: "/held"))
        let held = try fixture.held.next()
        defer { held.respond(ServerFixture.text(200, "held")) }
        let second = try fixture.client()
        try second.send(named("r-2"))
        let response = try second.readResponse()
        #expect(response.status == 503)
        #expect(id(response) == "r-2")
    }
}
