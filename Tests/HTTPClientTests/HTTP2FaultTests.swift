import HTTP2Server
import TestSupport
import Testing
import Threading

@testable import HTTPClient

/// Servers that end streams and connections incorrectly, or send GOAWAY during requests.
@Suite struct HTTP2FaultTests {
    /// Runs `action` for the request with this path, and answers the others.
    private func once(_ path: String, _ action: HTTP2Action) -> HTTP2Listener.Handler {
        let isDone = Monitor(false)
        return { request in
            guard request.path == path else { return .respond(HTTP2Fixture.ok) }
            let isFirst = isDone.update { isDone in
                defer { isDone = true }
                return !isDone
            }
            return isFirst ? action : .respond(HTTP2Fixture.ok)
        }
    }

    @Test func `reports a reset stream`() throws {
        // RFC 9113 section 7: INTERNAL_ERROR.
        try HTTP2Fixture.run(handler: once("/5", .resetStream(errorCode: 2))) { fixture in
            let results = fixture.exchange(20)
            #expect(results[5].failure == .reset)
            #expect(results.indices.allSatisfy { $0 == 5 || results[$0].status == 200 })
            #expect(fixture.server.counts.accepted == 1)
        }
    }

    @Test func `repeats a refused stream`() throws {
        // REFUSED_STREAM: not processed, so it may be repeated.
        try HTTP2Fixture.run(handler: once("/5", .resetStream(errorCode: 7))) { fixture in
            #expect(fixture.exchange(20).allSatisfy { $0.status == 200 })
        }
    }

    @Test func `reports each request of a lost connection`() throws {
        let held = HeldStreams()
        try HTTP2Fixture.run(handler: { $0.path == "/again" ? .respond(HTTP2Fixture.ok) : held.add($0) }) { fixture in
            let ends = Ends(50)
            for number in 0..<50 { fixture.client.send(fixture.numbered(number, timeoutMilliseconds: 30_000)) { ends.add($0, number) } }
            #expect(held.wait(50))
            fixture.server.performOnConnections(.resetConnection)
            // libcurl 7.88 does not report one of them, rarely more; these end at their timeout.
            let results = ends.wait()
            #expect(results.allSatisfy { $0.failure == .reset || $0.failure == .closedEarly || isTimeout($0.failure) })
            #expect(results.count { isTimeout($0.failure) } <= 5)
            #expect(fixture.client.exchange(request("\(fixture.url)again")).status == 200)
            #expect(fixture.server.counts.accepted >= 2)
        }
    }

    @Test func `reports each request of a closed connection`() throws {
        let held = HeldStreams()
        try HTTP2Fixture.run(handler: { $0.path == "/again" ? .respond(HTTP2Fixture.ok) : held.add($0) }) { fixture in
            let ends = Ends(50)
            for number in 0..<50 { fixture.client.send(fixture.numbered(number)) { ends.add($0, number) } }
            #expect(held.wait(50))
            fixture.server.performOnConnections(.closeConnection)
            #expect(ends.wait().allSatisfy { $0.failure == .reset || $0.failure == .closedEarly })
            #expect(fixture.client.exchange(request("\(fixture.url)again")).status == 200)
        }
    }

    @Test func `finishes streams that a graceful GOAWAY keeps`() throws {
        let held = HeldStreams()
        try HTTP2Fixture.run(handler: { $0.path == "/again" ? .respond(HTTP2Fixture.ok) : held.add($0) }) { fixture in
            let ends = Ends(50)
            for number in 0..<50 { fixture.client.send(fixture.numbered(number)) { ends.add($0, number) } }
            #expect(held.wait(50))
            fixture.server.performOnConnections(.goAway(lastStream: .all))
            held.release(.respond(HTTP2Fixture.ok))
            // libcurl 7.88 sometimes abandons a stream that the server would still answer; the sender repeats the request.
            let lost = ends.wait().filter { $0.status != 200 }
            #expect(lost.allSatisfy { [.reset, .closedEarly, .malformedResponse].contains($0.failure) || isTimeout($0.failure) })
            #expect(lost.count < 50)
            #expect(fixture.client.exchange(request("\(fixture.url)again")).status == 200)
            #expect(fixture.server.counts.accepted >= 2)
        }
    }

    @Test func `repeats streams that a GOAWAY excludes`() throws {
        let goAway = HTTP2Action.all([.goAway(lastStream: .this), .respond(HTTP2Fixture.ok)])
        try HTTP2Fixture.run(handler: once("/30", goAway)) { fixture in
            // libcurl repeats refused requests or reports them as lost; none hangs, and none is answered twice.
            #expect(fixture.exchangePatiently(90))
            #expect(fixture.server.counts.accepted >= 2)
        }
    }

    @Test func `continues while the server sends many GOAWAYs`() throws {
        let count = Monitor(0)
        let handler: HTTP2Listener.Handler = { _ in
            let number = count.update { count in
                count += 1
                return count
            }
            return number % 20 == 0 ? .all([.goAway(lastStream: .this), .respond(HTTP2Fixture.ok)]) : .respond(HTTP2Fixture.ok)
        }
        try HTTP2Fixture.run(handler: handler) { fixture in
            #expect(fixture.exchangePatiently(500))
        }
    }

    @Test func `a stalled stream delays no other`() throws {
        try HTTP2Fixture.run(handler: { $0.path == "/stalled" ? .wait : .respond(HTTP2Fixture.ok) }) { fixture in
            let stalled = Results()
            fixture.client.send(request("\(fixture.url)stalled", timeoutMilliseconds: 1000)) { stalled.add($0) }
            #expect(fixture.exchange(20).allSatisfy { $0.status == 200 })
            #expect(isTimeout(stalled.wait(1)[0].failure))
        }
    }

    @Test func `a stalled connection ends at the timeout`() throws {
        try HTTP2Fixture.run(handler: { $0.path == "/stall" ? .stallConnection : .respond(HTTP2Fixture.ok) }) { fixture in
            #expect(fixture.client.exchange(fixture.numbered(1)).status == 200)
            let result = fixture.client.exchange(request("\(fixture.url)stall", timeoutMilliseconds: 500))
            #expect(isTimeout(result.failure))
        }
    }

    @Test func `abandons a stalled connection`() throws {
        try HTTP2Fixture.run(handler: once("/stall", .stallConnection)) { fixture in
            #expect(isTimeout(fixture.client.exchange(request("\(fixture.url)stall", timeoutMilliseconds: 500)).failure))
            // The connection seems open, but no request on it would arrive.
            #expect(fixture.client.exchange(fixture.numbered(1)).status == 200)
            #expect(fixture.server.counts.accepted == 2)
        }
    }

    private func isTimeout(_ error: ClientError?) -> Bool {
        if case .timeout = error { true } else { false }
    }
}
