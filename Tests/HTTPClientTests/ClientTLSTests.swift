import Glibc
import HTTPServer
import TestSupport
import Testing

@testable import HTTPClient

/// HTTPS with this project's own server.
@Suite struct ClientTLSTests {
    private let directory: TemporaryDirectory
    private let certificatePath: String

    init() throws {
        directory = try TemporaryDirectory()
        certificatePath = directory.path("certificate")
        Self.write(TestCertificate.shared.certificate, to: certificatePath)
    }

    private static func write(_ text: String, to path: String) {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        let count = unsafe Glibc.write(descriptor, text, text.utf8.count)
        precondition(count == text.utf8.count, "a file is written")
        close(descriptor)
    }

    private func exchange(
        host: String = "127.0.0.1", authorities: String?, _ identity: TestCertificate = .shared
    ) throws -> Result<ClientResponse, ClientError> {
        let hello = Response(status: 200, body: Array("hello".utf8))
        let router = Router([Route("/", [(.get, { _, responder in responder.respond(hello) })])])
        let tls = TLSIdentity(certificate: identity.certificate, key: identity.key)
        let server = try Server(.tcp(host: "127.0.0.1", port: 0), router: router, settings: ServerSettings(threads: 1, tls: tls))
        defer { server.stop(drainMilliseconds: 1000) }
        guard case .tcp(_, let port) = server.address else { fatalError("the server listens on TCP") }
        let client = try Client(settings: ClientSettings(certificateAuthorities: authorities))
        defer { client.close() }
        return client.exchange(request("https://someone:something@\(host):\(port)/"))
    }

    private func tlsText(_ result: Result<ClientResponse, ClientError>, isUntrusted expected: Bool = true) -> String? {
        guard case .tls(let text, let isUntrusted) = result.failure else { return nil }
        #expect(isUntrusted == expected)
        #expect(result.failure?.isBeforeSending == true)
        #expect(result.failure?.description.contains("something") == false)
        return text
    }

    @Test func `accepts a trusted authority`() throws {
        #expect(try exchange(authorities: certificatePath).text == "hello")
    }

    @Test func `rejects a self-signed certificate`() throws {
        let text = try #require(try tlsText(exchange(authorities: nil)))
        #expect(text.contains("certificate"))
    }

    @Test func `rejects another authority`() throws {
        let other = try TestCertificate()
        let text = try #require(try tlsText(exchange(authorities: certificatePath, other)))
        #expect(text.contains("certificate"))
    }

    @Test func `rejects another name`() throws {
        let text = try #require(try tlsText(exchange(host: "localhost", authorities: certificatePath)))
        #expect(text.contains("subject name"))
    }

    @Test func `reports missing authorities`() throws {
        let text = try #require(try tlsText(exchange(authorities: directory.path("missing")), isUntrusted: false))
        #expect(text.contains("certificate"))
    }

    @Test func `reports a server without TLS`() throws {
        try withClient(.init(), script: .everyConnection(.send("HTTP/1.1 400 Bad\r\n\r\n"), .close)) { client, server in
            #expect(tlsText(client.exchange(request("https://127.0.0.1:\(server.port)/")), isUntrusted: false) != nil)
        }
    }

    @Test func `offers only TLS 1.2 and 1.3`() throws {
        try withClient(.init(), script: .everyConnection(.readSome, .close)) { client, server in
            #expect(client.failure(request("https://127.0.0.1:\(server.port)/")) != nil)
            let hello = server.received[0]
            // RFC 8446 section 4.2.1: extension 43, its length, the length of the list, TLS 1.3 and TLS 1.2.
            let offered: [UInt8] = [0, 43, 0, 5, 4, 3, 4, 3, 3]
            #expect(hello.indices.contains { hello[$0...].starts(with: offered) })
        }
    }
}
