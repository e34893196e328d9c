import HTTPServer
import TestSupport
import Testing

/// Requests that are malformed, ambiguous or without a route.
@Suite struct BadClientTests {
    /// Sends only `text`, and returns the status of the first response; nil when the server closes without one.
    private func status(answering text: String) throws -> Int? {
        let fixture = try ServerFixture(settings: ServerSettings(threads: 1))
        defer { fixture.stop(drainMilliseconds: 0) }
        let client = try fixture.client()
        try? client.send(text)
        do {
            return try client.readResponse(hasBody: !text.hasPrefix("HEAD")).status
        } catch SocketClient.Failure.closed, SocketClient.Failure.reset {
            return nil
        }
    }

    @Test(arguments: [
        ("GET", nil), ("GET /hello", 400), ("GET /hello HTTP", 400), ("GET /hello HTTP/1.1 extra", 400), ("GET /hel lo HTTP/1.1", nil),
        ("GET /hello HTTP/0.9", 505), ("GET /hello HTTP/2.0", 505), ("GET /hello HTTP/1.x", 400), ("GET /hello http/1.1", 400),
        ("GET  /hello HTTP/1.1", 400), (" /hello HTTP/1.1", nil), ("GET /hello\u{0} HTTP/1.1", 400), ("GET /hello\u{0}x HTTP/1.1", 400),
        ("GET /hello?x\ry HTTP/1.1", 400), ("GET /hel\rlo HTTP/1.1", 400),
        ("GET /hello?x\u{0}y HTTP/1.1", 400), ("GET\u{0} /hello HTTP/1.1", 400), ("GET /hello HTTP/1.1\u{0}", 400),
    ])
    func `rejects malformed request lines`(line: String, expected: Int?) throws {
        #expect(try status(answering: "\(line)\r\nHost: test\r\n\r\n") == expected)
    }

    @Test(arguments: [
        "", "X\r\nHost: test\r\n", "Host: test\r\nX : y\r\n", "Host: test\r\n: y\r\n", " X: y\r\nHost: test\r\n",
        "Host: test\r\nX: a\r\n b\r\n", "Host: test\r\nX: a\u{0}b\r\n", "Host: test\r\nX: a\u{0}\r\n", "Host: test\r\nX\u{0}: a\r\n",
        "Host: test\nX: a\r\n", "Host: test\r\nX: a\n", "X: y\r\n", "Host: test\r\nX: a\rb\r\n", "Host: test\r\nX: a\r\r\n",
        "Host: test\r\nX: \r\r\n", "Host: test\r\nX:\ra\r\n", "Host: test\r\nX\r: a\r\n", "Host: test\r\n\rX: a\r\n",
        "Host: test\r\nX: a\u{0}\u{0}\r\n", "Host: test\r\n\u{0}\r\n", "Host: test\r\n\u{0}X: a\r\n",
    ])
    func `rejects malformed headers`(headers: String) throws {
        #expect(try status(answering: "GET /hello HTTP/1.1\r\n\(headers)\r\n") == 400)
    }

    @Test func `rejects bare line feeds`() throws {
        #expect(try status(answering: "GET /hello HTTP/1.1\nHost: test\n\n") == 400)
        #expect(try status(answering: "GET /hello HTTP/1.1\r\nHost: test\r\n\n") == 400)
    }

    @Test(arguments: [
        ("Content-Length: x\r\n", 400), ("Content-Length: -1\r\n", 400), ("Content-Length: +4\r\n", 400), ("Content-Length:\r\n", 400),
        ("Content-Length: 4, 4\r\n", 400), ("Content-Length: 0x4\r\n", 400), ("Content-Length: 18446744073709551615\r\n", 413),
        ("Content-Length: 18446744073709551616\r\n", 413), ("Content-Length: 4\r\nContent-Length: 4\r\n", 400),
        ("Content-Length: 4\r\nContent-Length: 5\r\n", 400), ("Content-Length: 4\u{0}5\r\n", 400), ("Content-Length : 4\r\n", 400),
        ("Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", 400), ("Transfer-Encoding: chunked\r\nContent-Length: 4\r\n", 400),
        ("Transfer-Encoding: gzip\r\n", 400), ("Transfer-Encoding: gzip, chunked\r\n", 400), ("Transfer-Encoding: \r\n", 400),
        ("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", 400), ("Transfer-Encoding:\r\n chunked\r\n", 400),
    ])
    func `rejects ambiguous lengths`(headers: String, expected: Int) throws {
        #expect(try status(answering: "POST /echo HTTP/1.1\r\nHost: test\r\n\(headers)\r\n") == expected)
    }

    @Test func `rejects transfer codings in HTTP/1.0`() throws {
        let head = "POST /echo HTTP/1.0\r\nHost: test\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n"
        #expect(try status(answering: head + chunked("body")) == 400)
    }

    @Test(arguments: ["x\r\n", "\r\n", "3\r\nabcd\r\n", "-1\r\n", "0x3\r\nabc\r\n", "3 \r\nabc\r\n"])
    func `rejects malformed chunks`(chunks: String) throws {
        #expect(try status(answering: "POST /echo HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)") == 400)
    }

    @Test func `rejects a chunk of more than 64 bits`() throws {
        let head = "POST /echo HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n"
        #expect(try status(answering: head + "fffffffffffffffff\r\n") == 413)
    }

    @Test func `rejects long header sections`() throws {
        let line = "X-Filler: \(String(repeating: "x", count: 1000))\r\n"
        #expect(try status(answering: request("GET", path: "/hello", headers: String(repeating: line, count: 10))) == 200)
        #expect(try status(answering: request("GET", path: "/hello", headers: String(repeating: line, count: 60))) == 431)
        #expect(try status(answering: request("GET", path: "/hello", headers: String(repeating: "X: y\r\n", count: 5000))) == 431)
        #expect(try status(answering: request("GET", path: "/\(String(repeating: "x", count: 60_000))")) == 414)
    }

    @Test func `rejects too many arguments`() throws {
        let status = try status(answering: request("GET", path: "/hello?\(String(repeating: "a&", count: 5000))"))
        #expect(status.map { (400..<500).contains($0) } != false)
    }

    @Test(arguments: [
        ("GET", "/hello?x=1", 200), ("GET", "/hello?", 200), ("GET", "/hell%6f", 404), ("GET", "//hello", 404), ("GET", "/hello/", 404),
        ("GET", "/Hello", 404), ("GET", "hello", 404), ("GET", "/", 404), ("GET", "http://test/hello", 200),
        ("GET", "HTTPS://test/hello?x", 200), ("GET", "http://test", 404), ("GET", "http:/hello", 404),
        ("GET", "ftp://test/hello", 404), ("GET", "/hello%00", 404),
        ("GET", "/../hello", 404), ("GET", "/hello#x", 404), ("OPTIONS", "*", 404), ("get", "/hello", 405), ("OPTIONS", "/hello", 405),
        ("POST", "/hello", 405), ("PUT", "/echo", 405), ("HEAD", "/echo", 405), ("TRACE", "/hello", 405), ("GET", "/echo", 405),
    ])
    func `routes by exact bytes`(method: String, path: String, expected: Int) throws {
        #expect(try status(answering: request(method, path: path)) == expected)
    }

    @Test func `lists the methods of a path`() throws {
        let fixture = try ServerFixture()
        defer { fixture.stop() }
        let client = try fixture.client()
        try client.send(request("DELETE", path: "/hello") + request("GET", path: "/echo") + request("GET", path: "/hello"))
        #expect(try client.readResponse().headers["allow"] == "GET, HEAD")
        #expect(try client.readResponse().headers["allow"] == "POST")
        #expect(try client.readResponse().status == 200)
    }

    @Test func `ignores blank lines before a request`() throws {
        #expect(try status(answering: "\r\n\r\n" + request("GET", path: "/hello")) == 200)
    }

    @Test func `serves HTTP/1.0`() throws {
        #expect(try status(answering: "GET /hello HTTP/1.0\r\n\r\n") == 200)
    }
}
