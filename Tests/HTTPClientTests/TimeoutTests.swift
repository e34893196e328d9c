import TestSupport
import Testing

@testable import HTTPClient

/// Requests that nobody answers in time.
@Suite struct TimeoutTests {
    /// What the server does, how long a body it is sent, and where the request is when its time is over: a long one only where nobody reads it.
    private static let answers: [(ScriptedServer.Script, body: Int, ClientError.Phase)] = [
        (.everyRequest(.hang), 10, .waiting),
        (.everyConnection(.readRequest, .respondWrongly(200, contentLength: 10, body: "short"), .hang), 10, .receiving),
        (.everyConnection(.awaitRelease), 32 << 20, .sending),
    ]

    @Test(arguments: answers.indices)
    func namesThePhase(index: Int) throws {
        let (script, length, phase) = Self.answers[index]
        try withClient(.init(), script) { client, server in
            let body = String(repeating: "x", count: length)
            // As long as a busy machine may need to come so far.
            let failure = client.failure(request(.post, server.url(), body: body, timeoutMilliseconds: 5000))
            #expect(failure == .timeout(phase))
            #expect(failure?.isBeforeSending == false)
        }
    }

    @Test(arguments: [(2000, 60_000), (60_000, 2000)])
    func limitsTheHandshake(total: Int, connecting: Int) throws {
        try withClient(.init(), .everyConnection(.hang)) { client, server in
            let url = "https://127.0.0.1:\(server.port)/"
            let failure = client.failure(request(url, timeoutMilliseconds: total, connectTimeoutMilliseconds: connecting))
            #expect(failure == .timeout(.connecting))
            #expect(failure?.isBeforeSending == true)
            #expect(server.waitUntilUnconnected())
        }
    }

    @Test func limitsTheWaitForATurn() throws {
        try withClient(.init(connectionsPerHost: 1), .everyRequest(.awaitRelease, .respond(200))) { client, server in
            let (first, results) = (Results(), Results())
            client.send(request(server.url())) { first.add($0) }
            #expect(server.waitForRequests(1))
            for milliseconds in [60, 20_000, 20] {
                client.send(request(server.url("/\(milliseconds)"), timeoutMilliseconds: milliseconds)) { results.add($0) }
            }
            #expect(results.wait(2).allSatisfy { $0.failure == .timeout(.queued) })
            server.release(2)
            #expect(first.wait(1)[0].status == 200)
            #expect(results.wait(3)[2].status == 200)
            #expect(server.requests.map { $0.target } == ["/", "/20000"])
        }
    }

    @Test func countsTheTimeForConnectingFromTheTurn() throws {
        try withClient(.init(connectionsPerHost: 1), .everyConnection(.readRequest, .awaitRelease, .respond(200))) { client, server in
            let results = Results()
            client.send(request(server.url())) { results.add($0) }
            #expect(server.waitForRequests(1))
            client.send(request(server.url(), connectTimeoutMilliseconds: 4000)) { results.add($0) }
            #expect(client.failure(request(server.url(), timeoutMilliseconds: 4500)) == .timeout(.queued))
            server.release(2)
            #expect(results.wait(2).allSatisfy { $0.status == 200 })
        }
    }
}
