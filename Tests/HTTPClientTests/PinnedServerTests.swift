import Crypto
import HTTPServer
import TestSupport
import Testing
import Threading

@testable import HTTPClient

/// A server identified by its certificate, and other servers. All listen on an address that none of the certificates names.
@Suite struct PinnedServerTests {
    private static let host = "127.0.0.2"

    /// A server's certificate and key, and the expectation of a client.
    private struct Pair {
        let certificate: String
        let key: String

        func pinned(_ trusted: String? = nil) throws -> PinnedServer {
            let digest = try #require(CertificateKey.digest(ofCertificate: certificate))
            return PinnedServer(certificate: trusted ?? certificate, keyDigest: Base64.encode(digest.span))
        }
    }

    private let own = Pair(certificate: TestCertificate.shared.certificate, key: TestCertificate.shared.key)

    /// Sends a request to a server that presents `shown`.
    /// - Returns: the result, and the number of requests that reached the server.
    private func exchange(_ shown: Pair, expecting server: PinnedServer) throws -> (Result<ClientResponse, ClientError>, Int) {
        let count = Monitor(0)
        let answer: Handler = { _, responder in
            count.update { $0 += 1 }
            return responder.respond(Response(status: 200, body: Array("hello".utf8)))
        }
        let settings = ServerSettings(threads: 1, tls: TLSIdentity(certificate: shown.certificate, key: shown.key))
        let listener = try Server(
            .tcp(host: Self.host, port: 0), router: Router([Route("/", [(.get, answer)])]), settings: settings)
        defer { listener.stop(drainMilliseconds: 1000) }
        let client = try Client(settings: ClientSettings(server: server))
        defer { client.close() }
        let result = client.exchange(request("https://\(listener.address)/"))
        return (result, count.withLock { $0 })
    }

    private func expectRefusal(_ shown: Pair, expecting server: PinnedServer, _ words: String) throws {
        let (result, count) = try exchange(shown, expecting: server)
        guard case .tls(let text, isUntrusted: true)? = result.failure else {
            Issue.record("the handshake succeeded")
            return
        }
        #expect(text.contains(words))
        #expect(count == 0)
    }

    @Test func `is trusted under any name`() throws {
        #expect(try exchange(own, expecting: own.pinned()).0.text == "hello")
    }

    /// The certificate is signed by an authority that the client does not have.
    @Test func `is trusted without its authority`() throws {
        let made = try LoopbackCertificate()
        let pair = Pair(certificate: made.certificate, key: made.key)
        #expect(try exchange(pair, expecting: pair.pinned()).0.text == "hello")
        let chain = Pair(certificate: made.certificate + made.authority, key: made.key)
        #expect(try exchange(chain, expecting: chain.pinned()).0.text == "hello")
    }

    @Test func `differs from another certificate`() throws {
        let other = try TestCertificate()
        try expectRefusal(Pair(certificate: other.certificate, key: other.key), expecting: own.pinned(), "certificate")
    }

    @Test func `differs from another trusted certificate`() throws {
        let other = try TestCertificate()
        try expectRefusal(
            Pair(certificate: other.certificate, key: other.key), expecting: own.pinned(other.certificate), "public key does not match")
    }

    /// The right key is not sufficient for a client that trusts another certificate.
    @Test func `is not trusted for its key alone`() throws {
        try expectRefusal(own, expecting: own.pinned(try TestCertificate().certificate), "certificate")
    }
}
