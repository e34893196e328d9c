import HTTPServer
import POSIX
import TestSupport
import Testing

@testable import URLPreviews

@Suite struct HostileServerTests {
    private static let refused: [(name: String, ScriptedServer.Script, PreviewRefusal)] = [
        ("redirects for ever", .everyRequest(PreviewFixture.redirect("/again")), .redirects),
        ("file:", redirecting("file:///etc/passwd"), .notAllowed),
        ("gopher:", redirecting("gopher://127.0.0.2/x"), .notAllowed),
        ("ftp:", redirecting("ftp://page.test/"), .notAllowed),
        ("dict:", redirecting("dict://page.test:11211/stat"), .notAllowed),
        ("data:", redirecting("data:text/html,<title>x</title>"), .notAllowed),
        ("javascript:", redirecting("javascript:alert(1)"), .notAllowed),
        ("SSH's port", redirecting("http://page.test:22/"), .notAllowed),
        ("port 8080", redirecting("https://page.test:8080/"), .notAllowed),
        ("port 0", redirecting("http://page.test:0/"), .notAllowed),
        ("credentials", redirecting("http://user:password@page.test/"), .notAllowed),
        ("a user", redirecting("http://page.test@127.0.0.2/"), .notAllowed),
        ("a backslash", redirecting("http://page.test\\@127.0.0.2/"), .notAllowed),
        ("an interface", redirecting("http://[fe80::1%25lo]/"), .notAllowed),
        ("no host", redirecting("http://"), .notAllowed),
        ("a long URL", redirecting("http://page.test/" + String(repeating: "x", count: 10_000)), .notAllowed),
        ("empty", redirecting(""), .notAllowed),
        ("no location", .everyRequest(.respond(302)), .status),
        ("not modified", .everyRequest(.send("HTTP/1.1 304 Not Modified\r\n\r\n")), .status),
        ("an error", .everyRequest(.respond(500, headers: ["Content-Type: text/html"], body: PreviewFixture.html())), .status),
        ("not found", .everyRequest(.respond(404, headers: ["Content-Type: text/html"], body: PreviewFixture.html())), .status),
        ("no content", .everyRequest(.send("HTTP/1.1 204 No Content\r\n\r\n")), .notHTML),
        ("no type", .everyRequest(.respond(200, body: PreviewFixture.html())), .notHTML),
        ("an image", .everyRequest(PreviewFixture.html(PreviewFixture.html(), contentType: "image/svg+xml")), .notHTML),
        ("XHTML", .everyRequest(PreviewFixture.html(PreviewFixture.html(), contentType: "application/xhtml+xml")), .notHTML),
        ("nearly HTML", .everyRequest(PreviewFixture.html(PreviewFixture.html(), contentType: "text/html5")), .notHTML),
        ("plain text", .everyRequest(PreviewFixture.html(PreviewFixture.html(), contentType: "text/plain; x=text/html")), .notHTML),
        ("closes", .everyConnection(.readRequest, .close), .unreachable),
        ("resets", .everyConnection(.readRequest, .reset), .unreachable),
        ("speaks HTTP/0.9", .everyConnection(.readRequest, .send(PreviewFixture.html()), .close), .unreachable),
        ("speaks SMTP", .everyConnection(.send("220 mail\r\n"), .readSome, .close), .unreachable),
        ("cut off", .everyConnection(.readRequest, .respondWrongly(200, contentLength: 1000, body: "<title>"), .close), .notHTML),
        ("a page cut off", .everyConnection(.readRequest, .send(head + "Content-Length: 1000\r\n\r\n<title>T"), .close), .unreachable),
        (
            "heads for ever", .everyConnection(.readRequest, .send("HTTP/1.1 200 OK\r\n"), .sendForever(Array("X-A: b\r\n".utf8))),
            .unreachable
        ),
        ("one long header", .everyConnection(.readRequest, .send("HTTP/1.1 200 OK\r\nX: "), .sendForever(filler)), .unreachable),
        ("continues for ever", .everyConnection(.readRequest, .sendForever(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))), .unreachable),
        (
            "bad chunks", .everyConnection(.readRequest, .send(head + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n"), .close),
            .unreachable
        ),
        (
            "no gzip", .everyConnection(.readRequest, .send(head + "Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\nabcd"), .close),
            .unreachable
        ),
        (
            "layers of gzip",
            .everyConnection(
                .readRequest,
                .send(
                    head + "Content-Encoding: " + repeatElement("gzip", count: 50).joined(separator: ", ")
                        + "\r\nContent-Length: 1\r\n\r\nx"),
                .close), .unreachable
        ),
        (
            "no end of no HTML",
            .everyConnection(.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\n\r\n"), .sendForever(filler)), .notHTML
        ),
        ("no end of no page", .everyConnection(.readRequest, .send(head + "\r\n"), .sendForever(filler)), .incomplete),
        ("no title", .everyRequest(PreviewFixture.html("<meta property=og:image content=/i.png>")), .incomplete),
        (
            "an empty title",
            .everyRequest(PreviewFixture.html("<title>\u{202E}\u{200B} \n</title><meta property=og:image content=/i.png>")), .incomplete
        ),
        ("no image", .everyRequest(PreviewFixture.html("<title>Title</title>")), .incomplete),
        ("a script for an image", image("javascript:alert(1)"), .incomplete),
        ("a file for an image", image("file:///etc/passwd"), .incomplete),
        ("an image in the page", image("data:image/png;base64,AAAA"), .incomplete),
        ("an image with a password", image("http://a:b@page.test/i.png"), .incomplete),
        ("an image at a port", image("http://page.test:8080/i.png"), .incomplete),
        ("a long image", image("/" + String(repeating: "x", count: 3000)), .incomplete),
        ("nothing", .everyRequest(PreviewFixture.html("")), .incomplete),
        ("NULs", .everyRequest(PreviewFixture.html(String(repeating: "\0", count: 10_000))), .incomplete),
    ]

    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
    private static let filler = Array(repeating: UInt8(ascii: "x"), count: 64 * 1024)

    private static func redirecting(_ location: String) -> ScriptedServer.Script { .everyRequest(PreviewFixture.redirect(location)) }

    private static func image(_ url: String) -> ScriptedServer.Script {
        .everyRequest(PreviewFixture.html("<title>Title</title><meta property=og:image content=\"\(url)\">"))
    }

    @Test(arguments: refused.indices)
    func `a hostile response is rejected`(index: Int) throws {
        let (name, script, refusal) = Self.refused[index]
        try PreviewFixture.run({ _ in script }) { (fixture) throws in
            #expect(try fixture.outcome(fixture.url()) == .none(refusal), "\(name)")
            #expect(fixture.inner.connectionCount == 0)
            #expect(fixture.server.waitUntilUnconnected())
        }
    }

    private static let slow: [ScriptedServer.Script] = [
        .everyConnection(.hang), .everyConnection(.readRequest, .hang),
        .everyConnection(.readRequest, .sendSlowly(Array(head.utf8), size: 1, pauseMilliseconds: 50)),
        .everyConnection(
            .readRequest, .send(head),
            .sendSlowly(Array((0..<1000).flatMap { Array("X\($0): y\r\n".utf8) }), size: 4, pauseMilliseconds: 50)),
        .everyConnection(.readRequest, .send(head + "Content-Length: 100000\r\n\r\n<title>"), .hang),
    ]

    @Test(arguments: slow.indices)
    func `ends at the time limit`(index: Int) throws {
        try PreviewFixture.run({ _ in Self.slow[index] }, rules: { $0.milliseconds = 500 }) { (fixture) throws in
            #expect(try fixture.outcome(fixture.url()) == .none(.timeout))
            #expect(fixture.server.waitUntilUnconnected())
        }
    }

    /// Pages with a complete head whose end never arrives or is malformed.
    private static let endless: [[ScriptedStep]] = [
        [.send(head + "\r\n" + PreviewFixture.html()), .sendSlowly(Array(repeating: 32, count: 10_000), size: 1, pauseMilliseconds: 50)],
        [.send(head + "\r\n" + PreviewFixture.html()), .hang],
        [.send(head + "Content-Length: 100000\r\n\r\n" + PreviewFixture.html()), .hang],
        [.send(head + "Content-Length: 100000\r\n\r\n" + PreviewFixture.html()), .close],
        [.send(head + "Content-Length: 100000\r\n\r\n" + PreviewFixture.html()), .reset],
        [.send(head + "Transfer-Encoding: chunked\r\n\r\n" + chunk), .hang],
        [.send(head + "Transfer-Encoding: chunked\r\n\r\n" + chunk), .close],
        [.send(head + "Transfer-Encoding: chunked\r\n\r\n" + chunk + "xyz\r\n"), .close],
        [.send(head + "\r\n" + String(PreviewFixture.html().dropLast("</head></html>".count))), .hang],
    ]
    private static let chunk = "\(String(PreviewFixture.html().utf8.count, radix: 16))\r\n\(PreviewFixture.html())\r\n"

    @Test(arguments: endless.indices)
    func `uses the received part of a page`(index: Int) throws {
        let script = ScriptedServer.Script.connections([[.readRequest] + Self.endless[index]])
        try PreviewFixture.run({ _ in script }, rules: { if Self.isEndless(index) { $0.milliseconds = 5000 } }) { (fixture) throws in
            #expect(try fixture.title(fixture.url()) == "Title")
            #expect(fixture.server.waitUntilUnconnected())
        }
    }

    /// Whether the server continues to send or holds the connection, so that only the time limit ends the page.
    private static func isEndless(_ index: Int) -> Bool {
        switch endless[index].last {
        case .hang, .sendSlowly: true
        default: false
        }
    }

    @Test func `the time limit includes all redirects`() throws {
        let step = ScriptedStep.sendSlowly(ScriptedStep.response(302, headers: ["Location: /again"]), size: 10, pauseMilliseconds: 100)
        try PreviewFixture.run({ _ in .everyRequest(step) }, rules: { $0.milliseconds = 1200 }) { (fixture) throws in
            #expect(try fixture.outcome(fixture.url()) == .none(.timeout))
            #expect(fixture.server.connectionCount < 4)
        }
    }

    @Test func `ends at the time limit when no name server responds`() throws {
        try PreviewFixture.run(names: { _, _, _ in .silence }, rules: { $0.milliseconds = 300 }) { (fixture) throws in
            #expect(try fixture.outcome(fixture.url()) == .none(.timeout))
        }
    }

    @Test(arguments: [DNSServer.Answer.noSuchName, .records([])])
    func `detects a name without an address`(answer: DNSServer.Answer) throws {
        try PreviewFixture.run(names: { _, _, _ in answer }) { (fixture) throws in
            #expect(try fixture.outcome(fixture.url()) == .none(.unresolved))
        }
    }

    // 256 MiB of zeros compress to a megabyte; only its first megabyte is decompressed.
    @Test func `ends a decompression bomb at its limit`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("bomb")
        let made = try Command(
            "sh", "-c", "(printf '<title>Bomb</title><meta property=og:image content=/i>'; head -c 256M /dev/zero) | gzip -1 > \(path)")
        #expect(made.status == 0)
        let bomb = try File.read(path, limit: 16 << 20).bytes
        let head = Array((Self.head + "Content-Encoding: gzip\r\nContent-Length: \(bomb.count)\r\n\r\n").utf8)
        try PreviewFixture.run({ _ in .everyConnection(.readRequest, .send(head), .send(bomb), .hang) }) { (fixture) throws in
            #expect(try fixture.title(fixture.url()) == "Bomb")
            #expect(fixture.server.waitUntilUnconnected())
        }
    }

    private static let bombs: [String] = [
        String(repeating: "<div>", count: 200_000), String(repeating: "<b><i>", count: 150_000), String(repeating: "</p>", count: 250_000),
        "<p " + (0..<120_000).map { "a\($0)" }.joined(separator: " ") + ">", "<p x=\"" + String(repeating: "y", count: 1_000_000) + "\">",
        "<!--" + String(repeating: "-", count: 1_000_000), String(repeating: "<meta property=og:title content=x>", count: 30_000),
        "<!DOCTYPE lolz [<!ENTITY a \"lol\">" + (0..<9).map { "<!ENTITY b\($0) \"&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;\">" }.joined() + "]>&b8;",
        String(repeating: "&#x41;&amp;&unknown;", count: 50_000), "<title>" + String(repeating: "x", count: 900_000),
        String(repeating: "<script>", count: 100_000), String(repeating: "<![CDATA[", count: 100_000),
        String(repeating: "<svg><title>", count: 80_000),
        String(repeating: "<table><tr><td>", count: 60_000), "\0" + String(repeating: "<\0>", count: 100_000),
    ]

    @Test(arguments: bombs.indices)
    func `survives a hostile page`(index: Int) throws {
        let page = PreviewFixture.html() + Self.bombs[index]
        try PreviewFixture.run({ _ in .everyRequest(PreviewFixture.html(page)) }) { (fixture) throws in
            #expect(try fixture.title(fixture.url()) == "Title")
        }
        try PreviewFixture.run({ _ in .everyRequest(PreviewFixture.html(Self.bombs[index] + PreviewFixture.html())) }) { (fixture) throws in
            if case .preview(let preview) = try fixture.outcome(fixture.url()) {
                #expect(preview.title.unicodeScalars.count <= URLPreview.longestTitle)
            }
        }
    }

    @Test func `trusts no self-signed certificate`() throws {
        let other = TestCertificate.shared
        try PreviewFixture.run({ _ in .everyConnection(.readSome, .close) }) { (fixture) throws in
            #expect(try fixture.outcome("https://page.test:\(fixture.server.port)/") == .none(.unreachable))
        }
        let response = Response(status: 200, headers: [("Content-Type", "text/html")], body: Array(PreviewFixture.html().utf8))
        let router = Router([Route("/", [(.get, { _, responder in responder.respond(response) })])])
        let tls = TLSIdentity(certificate: other.certificate, key: other.key)
        let server = try Server(.tcp(host: "127.0.0.1", port: 0), router: router, settings: ServerSettings(threads: 1, tls: tls))
        defer { server.stop(drainMilliseconds: 1000) }
        guard case .tcp(_, let port) = server.address else { fatalError("the server listens on TCP") }
        let directory = try TemporaryDirectory()
        try directory.write("authorities", other.certificate)
        for (authorities, host, title) in [
            (nil, "127.0.0.1", nil), (directory.path("authorities"), "page.test", nil),
            (directory.path("authorities"), "127.0.0.1", "Title"),
        ] as [(String?, String, String?)] {
            try PreviewFixture.run(rules: { $0.ports.insert(port) }, certificateAuthorities: authorities) { (fixture) throws in
                #expect(try fixture.title("https://\(host):\(port)/") == title)
            }
        }
    }
}
