import HTTP2Server
import TestSupport
import Testing

@testable import HTTPClient

/// Connections that fail before HTTP/2 begins, and the limit of streams on a connection.
@Suite struct HTTP2OpeningTests {
    private func failure(
        _ opening: HTTP2Opening, connectTimeoutMilliseconds: Int = Int(WaitLimit.milliseconds)
    ) throws -> ClientError? {
        var failure: ClientError?
        try HTTP2Fixture.run(opening: { _ in opening }) { fixture in
            failure = fixture.client.failure(request(fixture.url, connectTimeoutMilliseconds: connectTimeoutMilliseconds))
            #expect(fixture.server.counts.requests == 0)
        }
        return failure
    }

    @Test func `reports a reset connection`() throws {
        let error = try #require(try failure(.reset))
        #expect(error.isBeforeSending || error == .reset)
    }

    @Test func `reports a stalled handshake`() throws {
        #expect(try failure(.delayHandshake(milliseconds: nil), connectTimeoutMilliseconds: 500) == .timeout(.connecting))
    }

    @Test func `waits for a slow handshake`() throws {
        try HTTP2Fixture.run(opening: { _ in .delayHandshake(milliseconds: 300) }) { fixture in
            #expect(fixture.exchange(20).allSatisfy { $0.status == 200 })
            #expect(fixture.server.counts.accepted == 1)
        }
    }

    @Test func `reports a connection that is closed after the handshake`() throws {
        let error = try #require(try failure(.closeAfterHandshake))
        #expect(error == .closedEarly || error == .reset)
    }

    @Test func `reports malformed input`() throws {
        let error = try #require(try failure(.garbageAfterHandshake))
        // The client may not read input that is followed by the end, or by a reset because its own request was never read.
        #expect([.malformedResponse, .reset, .closedEarly].contains(error), "\(error)")
    }

    @Test func `stays within the limit of streams`() throws {
        let held = HeldStreams()
        let handler: HTTP2Listener.Handler = { request in
            request.path == "/first" ? .respond(HTTP2Fixture.ok) : held.add(request)
        }
        try HTTP2Fixture.run(streamLimit: 4, handler: handler) { fixture in
            // libcurl does not wait for a new connection's limit, and may lose the streams that are refused because of it.
            #expect(fixture.client.exchange(request("\(fixture.url)first")).status == 200)
            let ends = Ends(40)
            for number in 0..<40 {
                fixture.client.send(fixture.numbered(number)) { result in
                    ends.add(result, number)
                    held.noteEnd()
                }
            }
            // A failed request is never held, so the test must not wait for it.
            while held.waitForMore(unlessEnded: 40) { held.release(.respond(HTTP2Fixture.ok)) }
            #expect(ends.wait().allSatisfy { $0.status == 200 })
            #expect(fixture.server.counts.maximumStreams <= 4)
        }
    }

    @Test func `follows a raised stream limit`() throws {
        // Like APNs: one stream until a request has authenticated the sender, then many.
        let held = HeldStreams()
        let handler: HTTP2Listener.Handler = { request in
            request.path == "/first" ? .all([.limitStreams(100), .respond(HTTP2Fixture.ok)]) : held.add(request)
        }
        try HTTP2Fixture.run(streamLimit: 1, handler: handler) { fixture in
            #expect(fixture.client.exchange(request("\(fixture.url)first")).status == 200)
            let ends = Ends(100)
            for number in 0..<100 { fixture.client.send(fixture.numbered(number)) { ends.add($0, number) } }
            #expect(held.wait(100))
            held.release(.respond(HTTP2Fixture.ok))
            #expect(ends.wait().allSatisfy { $0.status == 200 })
            #expect(fixture.server.counts.accepted == 1)
        }
    }

    @Test func `follows a lowered stream limit`() throws {
        try HTTP2Fixture.run { fixture in
            #expect(fixture.exchange(50).allSatisfy { $0.status == 200 })
            fixture.server.limitStreams(4)
            // libcurl 7.88 may lose streams that the server refuses; no request hangs, and repeated ones arrive.
            #expect(fixture.exchangePatiently(50))
        }
    }
}
