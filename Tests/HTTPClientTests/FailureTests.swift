import TestSupport
import Testing

@testable import HTTPClient

/// All failures of a request.
@Suite struct FailureTests {
    private static let garbage = ScriptedStep.send("220 this is a mail server\r\n")
    private static let longLine = ScriptedStep.sendForever(Array(repeating: UInt8(ascii: "x"), count: 64 * 1024))

    private static let scripts: [(ScriptedServer.Script, ClientError)] = [
        (.everyConnection(.readRequest, .close), .closedEarly),
        (.everyConnection(.readRequest, .reset), .reset),
        (.everyConnection(.readRequest, garbage, .close), .malformedResponse),
        (.everyConnection(.readRequest, .respondWrongly(200, contentLength: 10, body: "short"), .close), .closedEarly),
        (.everyConnection(.readRequest, .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel"), .close), .closedEarly),
        (.everyConnection(.readRequest, .send("HTTP/1.1 200 OK\r\n"), .sendForever(Array("X-Header: value\r\n".utf8))), .headersTooLarge),
        (.everyConnection(.readRequest, .send("HTTP/1.1 200 OK\r\nX: "), longLine), .headersTooLarge),
        (.everyConnection(.readRequest, .sendForever(Array("HTTP/1.1 100 Continue\r\nX: y\r\n\r\n".utf8))), .headersTooLarge),
    ]

    @Test(arguments: scripts.indices)
    func `reports the fault`(index: Int) throws {
        let (script, error) = Self.scripts[index]
        try withClient(.init(), script: script) { client, server in
            let failure = client.failure(request(.post, server.url(), body: "body"))
            #expect(failure == error)
            #expect(failure?.isBeforeSending == false)
            #expect(server.waitUntilUnconnected())
        }
    }

    @Test func `the body ends at its declared length`() throws {
        try withClient(.init(), script: .everyConnection(.readRequest, .respondWrongly(200, contentLength: 2, body: "too long"), .hang)) {
            client, server in
            #expect(client.exchange(request(server.url())).text == "to")
        }
    }

    @Test func `reports a closed port`() throws {
        let closed = try ClosedPort()
        let client = try Client()
        defer { client.close() }
        let failure = client.failure(request("http://127.0.0.1:\(closed.port)/"))
        withExtendedLifetime(closed) {}
        #expect(failure == .connect)
        #expect(failure?.isBeforeSending == true)
    }

    @Test func `reports an unknown host`() throws {
        let client = try Client()
        defer { client.close() }
        // RFC 1035 section 2.3.4: a label has at most 63 bytes, so this name is rejected before a DNS query.
        let failure = client.failure(request("http://\(String(repeating: "a", count: 64)).invalid/"))
        #expect(failure == .resolve)
        #expect(failure?.isBeforeSending == true)
    }

    @Test(arguments: ["http://host:99999/", "http://[::1/", "http://host:x/"])
    func `reports an invalid URL`(url: String) throws {
        let client = try Client()
        defer { client.close() }
        #expect(client.failure(request(url)) == .invalidURL)
    }

    @Test func `rejects requests beyond the limit`() throws {
        try withClient(.init(requestLimit: 3), script: .everyRequest(.awaitRelease, .respond(200))) { client, server in
            let results = Results()
            for _ in 0..<3 { #expect(client.send(request(server.url())) { results.add($0) } != nil) }
            let refused = Results()
            #expect(client.send(request(server.url())) { refused.add($0) } == nil)
            #expect(refused.wait(1)[0].failure == .overloaded)
            server.release(3)
            #expect(results.wait(3).allSatisfy { $0.status == 200 })
            server.release()
            #expect(client.exchange(request(server.url())).status == 200)
        }
    }

    @Test func `rejects one owner's requests beyond the limit`() throws {
        let settings = ClientSettings(requestLimit: 5, requestsPerOwner: 3)
        try withClient(settings, script: .everyRequest(.awaitRelease, .respond(200))) { client, server in
            let (results, refused) = (Results(), Results())
            for _ in 0..<3 { client.send(request(server.url()), for: "one") { results.add($0) } }
            client.send(request(server.url()), for: "one") { refused.add($0) }
            #expect(refused.wait(1)[0].failure == .overloaded)
            for _ in 0..<2 { client.send(request(server.url()), for: "other") { results.add($0) } }
            // Now the client has the maximum number of requests.
            client.send(request(server.url()), for: "third") { refused.add($0) }
            #expect(refused.wait(2)[1].failure == .overloaded)
            server.release(6)
            #expect(results.wait(5).allSatisfy { $0.status == 200 })
            #expect(client.exchange(request(server.url())).status == 200)
        }
    }

    @Test func `repeats a request when a persistent connection was closed`() throws {
        let script = ScriptedServer.Script.connections([
            [.readRequest, .respond(200), .readRequest, .close], [.readRequest, .respond(204)],
        ])
        try withClient(.init(), script: script) { client, server in
            #expect(client.exchange(request(.post, server.url(), body: "one")).status == 200)
            #expect(client.exchange(request(.post, server.url(), body: "two")).status == 204)
            #expect(server.requests.map { $0.text } == ["one", "two", "two"])
        }
    }

    @Test func `descriptions contain no secrets`() throws {
        let phases: [ClientError.Phase] = [.queued, .connecting, .sending, .waiting, .receiving]
        let errors: [ClientError] =
            [
                .invalidURL, .resolve, .connect, .proxy, .tls("text", isUntrusted: true), .closedEarly, .reset, .malformedResponse,
                .headersTooLarge,
                .cancelled,
                .overloaded, .other(code: 7),
            ] + phases.map { .timeout($0) }
        #expect(Set(errors.map { $0.description }).count == errors.count)
        #expect(errors.filter { $0.isBeforeSending }.count == 8)
        let server = try ScriptedServer(.everyConnection(.send("no TLS"), .close))
        defer { server.stop() }
        let client = try Client()
        defer { client.close() }
        for scheme in ["http", "https"] {
            let url = "\(scheme)://someone:something@127.0.0.1:\(server.port)/hidden?also=hidden"
            let failure = try #require(client.failure(request(url, headers: [("X", "hidden")])))
            for text in [failure.description, String(reflecting: failure)] {
                #expect(!["someone", "something", "hidden"].contains { text.contains($0) })
            }
        }
    }
}
