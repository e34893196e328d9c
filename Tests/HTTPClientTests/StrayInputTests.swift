import Crypto
import TestSupport
import Testing

@testable import HTTPClient

/// Bytes without a request are not used as the response to the next one (RFC 9112 section 9.2).
@Suite struct StrayInputTests {
    /// A response, in the pieces that the server writes.
    struct Answer: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let pieces: [String]

        static let all = [
            Answer("with a length", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfirst"),
            Answer("with a length, in two pieces", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", "first"),
            Answer("in chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n0\r\n\r\n"),
            Answer("in chunks, in two pieces", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfir", "st\r\n0\r\n\r\n"),
            Answer("with an empty body", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
            Answer("without a body", "HTTP/1.1 204 No Content\r\n\r\n"),
        ]

        init(_ name: String, _ pieces: String...) {
            testDescription = name
            self.pieces = pieces
        }
    }

    /// Bytes in addition to the server's response.
    static let strays = [
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nstray",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nstray\r\n0\r\n\r\n",
        "HTTP/1.1 204 No Content\r\n\r\n",
        "HTTP/1.1 103 Early Hints\r\n\r\n",
        "HTTP/1.0 408 Request Time-out\r\nConnection: close\r\nContent-Type: text/html\r\n\r\n<html></html>",
        "HTTP/1.1 200 OK\r\nContent-",
        "\r\n",
        "\u{0}garbage",
    ]

    private static let tls: (server: TLSServerContext, directory: TemporaryDirectory) = {
        do {
            let certificate = try LoopbackCertificate()
            let directory = try TemporaryDirectory()
            try directory.write("ca.pem", certificate.authority)
            let server = try TLSServerContext(certificate: certificate.certificate, key: certificate.key, speaksHTTP2: false)
            return (server, directory)
        } catch {
            fatalError("no certificate for a test: \(error)")
        }
    }()

    /// Sends two requests to a server that runs these steps after the first one, and answers the second with 403 on any connection.
    /// - Returns: the result of the second one, and the number of connections.
    private func exchange(
        _ steps: [ScriptedStep], settings: ClientSettings = ClientSettings(), isSecure: Bool
    ) throws -> (second: Result<ClientResponse, ClientError>, connections: Int) {
        let second: [ScriptedStep] = [.readRequest, .respond(403, body: "second")]
        let server = try ScriptedServer(.connections([[.readRequest] + steps + second, second]), tls: isSecure ? Self.tls.server : nil)
        defer { server.stop() }
        var settings = settings
        settings.certificateAuthorities = isSecure ? Self.tls.directory.path("ca.pem") : nil
        let client = try Client(settings: settings)
        defer { client.close() }
        let first = client.exchange(request(.post, server.url(), body: "first"))
        #expect([200, 204].contains(first.status))
        #expect(["first", ""].contains(first.text))
        server.release()
        if case .sendAndAwaitArrival? = steps.last { #expect(server.waitForArrivals(1)) }
        let result = client.exchange(request(.post, server.url(), body: "second"))
        #expect(server.requests.map(\.text) == ["first", "second"])
        return (result, server.connectionCount)
    }

    @Test(arguments: Answer.all, strays)
    func `is ignored in the same segment as a response`(answer: Answer, stray: String) throws {
        for isSecure in [false, true] {
            let steps = answer.pieces.dropLast().map(ScriptedStep.send) + [.send((answer.pieces.last ?? "") + stray)]
            let (second, _) = try exchange(steps, isSecure: isSecure)
            #expect(second.status == 403)
            #expect(second.text == "second")
        }
    }

    @Test(arguments: Answer.all, strays)
    func `closes the connection after a response`(answer: Answer, stray: String) throws {
        for isSecure in [false, true] {
            let steps = answer.pieces.map(ScriptedStep.send) + [.awaitRelease, .sendAndAwaitArrival(Array(stray.utf8))]
            let (second, connections) = try exchange(steps, isSecure: isSecure)
            #expect(second.status == 403)
            #expect(second.text == "second")
            #expect(connections == 2)
        }
    }

    @Test(arguments: Answer.all)
    func `closes the connection when its end has arrived`(answer: Answer) throws {
        for isSecure in [false, true] {
            let steps = answer.pieces.map(ScriptedStep.send) + [.awaitRelease, .finishSending, .hang]
            let (second, connections) = try exchange(steps, isSecure: isSecure)
            #expect(second.text == "second")
            #expect(connections == 2)
        }
    }

    @Test func `connections of one request resume TLS`() throws {
        let server = try ScriptedServer(.everyRequest(.respond(200)), tls: Self.tls.server)
        defer { server.stop() }
        let authorities = Self.tls.directory.path("ca.pem")
        let client = try Client(settings: ClientSettings(keepsConnections: false, certificateAuthorities: authorities))
        defer { client.close() }
        for _ in 1...5 { #expect(client.exchange(request(.post, server.url())).status == 200) }
        #expect(server.connectionCount == 5)
        #expect(server.resumedCount == 4)
    }

    @Test(arguments: strays)
    func `never affects a connection for one request`(stray: String) throws {
        for isSecure in [false, true] {
            let steps = [ScriptedStep.respond(200, body: "first"), .send(stray)]
            let (second, connections) = try exchange(steps, settings: ClientSettings(keepsConnections: false), isSecure: isSecure)
            #expect(second.text == "second")
            #expect(connections == 2)
        }
    }
}
