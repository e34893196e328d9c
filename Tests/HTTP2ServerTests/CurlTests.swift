import Crypto
import HTTP2Server
import TestSupport
import Testing

/// The server with the curl command, an independent client.
@Suite struct CurlTests {
    private let directory: TemporaryDirectory
    private let certificate: LoopbackCertificate

    init() throws {
        directory = try TemporaryDirectory()
        certificate = try LoopbackCertificate()
        try directory.write("ca.pem", certificate.authority)
    }

    private func withServer(tls: Bool, _ body: (HTTP2Listener, String) throws -> Void) throws {
        let context = tls ? try TLSServerContext(certificate: certificate.certificate, key: certificate.key) : nil
        let server = try HTTP2Listener(HTTP2Settings(tls: context)) { request in
            let text = "\(request.method) \(request.path) \(request.body.count)\n"
            return .respond(HTTP2Response(status: 200, headers: [("content-type", "text/plain")], body: Array(text.utf8)))
        }
        defer { server.stop() }
        try body(server, "\(tls ? "https" : "http")://localhost:\(server.port)/")
    }

    @Test func `serves HTTP/2 over TLS`() throws {
        try withServer(tls: true) { server, url in
            let curl = try Command(
                "curl", "-sS", "-4", "--http2", "--cacert", directory.path("ca.pem"), "--data", "hello", "-w",
                "%{http_version} %{http_code}",
                "\(url)3/device/x")
            #expect(curl.output == "POST /3/device/x 5\n2 200")
            #expect(server.wait { $0.open == 0 })
            let counts = server.counts
            #expect(counts.accepted == 1)
            #expect(counts.maximumOpen == 1)
            #expect(counts.failedHandshakes == 0)
            #expect(counts.requests == 1)
            #expect(counts.maximumStreams == 1)
            #expect(counts.unanswered == 0)
        }
    }

    @Test func `serves many requests on one connection`() throws {
        try withServer(tls: true) { server, url in
            let curl = try Command(
                "curl", "-sS", "-4", "--http2", "--parallel", "--parallel-max", "50", "--cacert", directory.path("ca.pem"), "\(url)[1-200]")
            #expect(curl.status == 0)
            // curl also shows its progress, and its first line may be the beginning of the test's output.
            #expect(curl.output.split(separator: "\n").count { $0.contains("GET /") } == 200)
            #expect(server.counts.requests == 200)
            #expect(server.counts.accepted == 1)
        }
    }

    @Test func `serves HTTP/2 without TLS`() throws {
        try withServer(tls: false) { _, url in
            let curl = try Command("curl", "-sS", "-4", "--http2-prior-knowledge", "-w", "%{http_version}", url)
            #expect(curl.output == "GET / 0\n2")
        }
    }

    @Test func `rejects HTTP/1`() throws {
        try withServer(tls: true) { server, url in
            let curl = try Command("curl", "-sS", "-4", "--http1.1", "--cacert", directory.path("ca.pem"), url)
            #expect(curl.status != 0)
            #expect(server.counts.requests == 0)
            #expect(server.wait { $0.failedHandshakes == 1 && $0.open == 0 })
        }
    }

    @Test func `is not trusted without its authority`() throws {
        try withServer(tls: true) { server, url in
            // 60 means "peer certificate cannot be authenticated" (curl(1), exit codes).
            let curl = try Command("curl", "-sS", "-4", "--http2", url)
            #expect(curl.status == 60)
            #expect(server.counts.requests == 0)
        }
    }
}
