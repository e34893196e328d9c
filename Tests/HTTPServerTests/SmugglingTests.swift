import HTTPServer
import TestSupport
import Testing

/// Chunks that a proxy may parse differently: nothing after them is ever answered.
@Suite struct SmugglingTests {
    private static let head = "POST /echo HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n"
    private static let hidden = request("GET", path: "/hello")

    /// The hidden request is in or after the chunks, depending on the reader's line endings.
    static let chunks = [
        "4\r\nbody\r\n0\r\n\r\n\(hidden)", "4\nbody\n0\n\n\(hidden)", "4\r\nbody\n0\r\n\r\n\(hidden)", "0\n\n\(hidden)", "0\r\n\n\(hidden)",
        "0\n\r\n\(hidden)", "4;\nx\r\nbody\r\n0\r\n\r\n\(hidden)", "4;a\n\nbody\n0\n\n\(hidden)", "0;a\n\n\(hidden)\r\n\r\n0\r\n\r\n",
        "2\n\nx\r\n0\r\n\r\n\(hidden)", "0\r\nX: y\n\n\(hidden)", "0\r\nX: y\r\n z\r\n\r\n\(hidden)", "0\r\n\u{0}\n\(hidden)",
        "00000000000000000000\n\n\(hidden)",
    ]

    @Test(arguments: chunks)
    func `answers nothing after malformed chunks`(_ chunks: String) throws {
        let fixture = try ServerFixture()
        defer { fixture.stop() }
        let client = try fixture.client()
        try client.send(Self.head + chunks + Self.hidden)
        let received = String(decoding: try client.readUntilGone(), as: UTF8.self)
        #expect(received.split(separator: "HTTP/1.1 ").count == 1)
        #expect(!received.contains("hello"))
        #expect(received.contains("Connection: close"))
        #expect(eventually { fixture.server.connectionCount == 0 })
    }

    @Test(arguments: ["/nowhere", "/hello", "/later"])
    func `closes after malformed chunks on every route`(_ path: String) throws {
        let fixture = try ServerFixture()
        defer { fixture.stop() }
        let client = try fixture.client()
        try client.send("POST \(path) HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n\(chunked("body"))\(Self.hidden)")
        let received = String(decoding: try client.readUntilGone(), as: UTF8.self)
        #expect(received.split(separator: "HTTP/1.1 ").count == 1)
        #expect(!received.contains("hello"))
    }
}
