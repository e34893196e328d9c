import TestSupport
import Testing

@testable import HTTPClient

/// Requests without a response in time.
@Suite struct TimeoutTests {
    /// The server's behavior, the length of the request's body, and the phase of the request at its timeout: a long body only where the
    /// server does not read it.
    private static let answers: [(ScriptedServer.Script, body: Int, ClientError.Phase)] = [
        (.everyRequest(.hang), 10, .waiting),
        (.everyConnection(.readRequest, .respondWrongly(200, contentLength: 10, body: "short"), .hang), 10, .receiving),
        (.everyConnection(.awaitRelease), 32 << 20, .sending),
    ]

    private static let phases: [ClientError.Phase] = [.queued, .connecting, .sending, .waiting, .receiving]

    /// The failure of a request with a short timeout. If a busy machine did not bring it beyond an earlier phase, it is repeated with a
    /// longer timeout.
    private func failure(
        of client: Client, tooEarly: ArraySlice<ClientError.Phase>, _ request: (_ milliseconds: Int) -> ClientRequest
    ) -> ClientError? {
        let first = client.failure(request(3000))
        guard tooEarly.contains(where: { first == .timeout($0) }) else { return first }
        return client.failure(request(60_000))
    }

    @Test(arguments: answers.indices)
    func `reports the phase`(index: Int) throws {
        let (script, length, phase) = Self.answers[index]
        try withClient(.init(), script: script) { client, server in
            let body = String(repeating: "x", count: length)
            let found = failure(of: client, tooEarly: Self.phases.prefix { $0 != phase }) { milliseconds in
                request(.post, server.url(), body: body, timeoutMilliseconds: milliseconds)
            }
            #expect(found == .timeout(phase))
            #expect(found?.isBeforeSending == false)
        }
    }

    @Test(arguments: [true, false])
    func `limits the handshake`(byTotal: Bool) throws {
        try withClient(.init(), script: .everyConnection(.hang)) { client, server in
            let url = "https://127.0.0.1:\(server.port)/"
            let found = failure(of: client, tooEarly: [.queued]) { milliseconds in
                byTotal ? request(url, timeoutMilliseconds: milliseconds) : request(url, connectTimeoutMilliseconds: milliseconds)
            }
            #expect(found == .timeout(.connecting))
            #expect(found?.isBeforeSending == true)
            #expect(server.waitUntilUnconnected())
        }
    }

    @Test func `limits the wait in the queue`() throws {
        try withClient(.init(connectionsPerHost: 1), script: .everyRequest(.awaitRelease, .respond(200))) { client, server in
            let (first, results) = (Results(), Results())
            client.send(request(server.url())) { first.add($0) }
            #expect(server.waitForRequests(1))
            for milliseconds in [60, Int(WaitLimit.milliseconds), 20] {
                client.send(request(server.url("/\(milliseconds)"), timeoutMilliseconds: milliseconds)) { results.add($0) }
            }
            #expect(results.wait(2).allSatisfy { $0.failure == .timeout(.queued) })
            server.release(2)
            #expect(first.wait(1)[0].status == 200)
            #expect(results.wait(3)[2].status == 200)
            #expect(server.requests.map { $0.target } == ["/", "/\(WaitLimit.milliseconds)"])
        }
    }

    @Test func `the timeout for connecting starts after the queue`() throws {
        try withClient(.init(connectionsPerHost: 1), script: .everyConnection(.readRequest, .awaitRelease, .respond(200))) {
            client, server in
            let results = Results()
            client.send(request(server.url())) { results.add($0) }
            #expect(server.waitForRequests(1))
            client.send(request(server.url(), connectTimeoutMilliseconds: 10_000)) { results.add($0) }
            #expect(client.failure(request(server.url(), timeoutMilliseconds: 10_500)) == .timeout(.queued))
            server.release(2)
            #expect(results.wait(2).allSatisfy { $0.status == 200 })
        }
    }
}
