import TestSupport
import Testing

@testable import HTTPClient

/// Responses to requests that need only the header section.
@Suite struct HeadOnlyTests {
    /// The rest of the header section with a body that does not end correctly, and the following step.
    private static let bodies: [(body: String, end: ScriptedStep)] = [
        ("Content-Length: 100\r\n\r\n0123456789", .close),
        ("Content-Length: 100\r\n\r\n0123456789", .reset),
        ("Content-Length: 100\r\n\r\n0123456789", .hang),
        ("Content-Length: 100\r\n\r\n", .hang),
        ("Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", .close),
        ("Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", .hang),
        ("Transfer-Encoding: chunked\r\n\r\n5\r\nhel", .reset),
        ("Transfer-Encoding: chunked\r\n\r\nfive\r\nhello\r\n0\r\n\r\n", .hang),
        ("Transfer-Encoding: chunked\r\n\r\n0\r\nX-Trailer: no end\r\n", .hang),
        ("\r\nno length", .reset),
        ("\r\nno length", .hang),
        ("Connection: close\r\nContent-Length: 10\r\n\r\n", .close),
    ]

    private func isNeeded(_ server: ScriptedServer) -> ClientRequest {
        request(.post, server.url(), body: "body", needsOnlyHead: true)
    }

    @Test(arguments: bodies.indices, [200, 403, 500])
    func `are complete without the end of the body`(index: Int, status: Int) throws {
        let (body, end) = Self.bodies[index]
        for keepsConnections in [true, false] {
            let script = ScriptedServer.Script.everyConnection(.readRequest, .send("HTTP/1.1 \(status) Scripted\r\n\(body)"), end)
            try withClient(.init(keepsConnections: keepsConnections), script: script) { client, server in
                let result = client.exchange(isNeeded(server))
                #expect(result.status == status)
                #expect(result.text == "")
                #expect(server.requests.count == 1)
                // The client closes the connection, so that it blocks no other request.
                #expect(server.waitUntilUnconnected())
            }
        }
    }

    @Test func `keep the connection when the body ends later`() throws {
        let head = ScriptedStep.send("HTTP/1.1 200 OK\r\nX-Member: value\r\nContent-Length: 4\r\n\r\n")
        let steps = [.readRequest, head, .awaitRelease, .sendAndAwaitArrival(Array("body".utf8)), .readRequest, .respond(204)]
        try withClient(.init(), script: .connections([steps])) { client, server in
            let response = try client.exchange(isNeeded(server)).get()
            #expect(response.status == 200)
            #expect(response.header("x-member") == "value")
            server.release()
            #expect(server.waitForArrivals(1))
            #expect(client.exchange(isNeeded(server)).status == 204)
            #expect(server.connectionCount == 1)
        }
    }

    @Test func `interim responses are skipped`() throws {
        let steps = [ScriptedStep.readRequest, .send("HTTP/1.1 100 Continue\r\n\r\n"), .awaitRelease, .respond(403)]
        try withClient(.init(), script: .connections([steps])) { client, server in
            let results = Results()
            client.send(isNeeded(server)) { results.add($0) }
            #expect(server.waitForRequests(1))
            server.release()
            #expect(results.wait(1)[0].status == 403)
        }
    }

    @Test func `fail without a complete header section`() throws {
        let script = ScriptedServer.Script.everyConnection(.readRequest, .send("HTTP/1.1 200 OK\r\nContent-"), .close)
        try withClient(.init(), script: script) { client, server in
            #expect(client.failure(isNeeded(server)) != nil)
        }
    }

    @Test func `end when the client is closed`() throws {
        let head = ScriptedStep.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n")
        let server = try ScriptedServer(.everyConnection(.readRequest, head, .hang))
        defer { server.stop() }
        let client = try Client()
        let results = Results()
        client.send(isNeeded(server)) { results.add($0) }
        #expect(results.wait(1)[0].status == 200)
        client.close()
        #expect(server.waitUntilUnconnected())
        #expect(results.count == 1)
    }
}
