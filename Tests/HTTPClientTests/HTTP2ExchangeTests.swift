import HTTP2Server
import TestSupport
import Testing
import Threading

@testable import HTTPClient

/// Requests over HTTP/2: one, and many on one connection.
@Suite struct HTTP2ExchangeTests {
    @Test func `exchanges the same as HTTP/1`() throws {
        let seen = Monitor<[HTTP2Request]>([])
        let handler: HTTP2Listener.Handler = { request in
            seen.update { $0.append(request) }
            return .respond(HTTP2Fixture.ok)
        }
        try HTTP2Fixture.run(handler: handler) { fixture in
            let headers = [(name: "Apns-Topic", value: "com.example"), (name: "x-empty", value: "")]
            let result = fixture.client.exchange(request(.post, "\(fixture.url)a?b=c", headers: headers, body: "hello"))
            guard case .success(let response) = result else { throw try #require(result.failure) }
            #expect(response.status == 200)
            #expect(response.text == "ok")
            #expect(response.httpVersion == .http2)
            #expect(response.header("X-Test") == "yes")
            let request = try #require(seen.withLock { $0.first })
            #expect(request.method == "POST")
            #expect(request.path == "/a?b=c")
            #expect(request.header("apns-topic") == "com.example")
            #expect(request.header("x-empty") == "")
            #expect(request.header("content-length") == "5")
            #expect(request.body == Array("hello".utf8))
        }
    }

    @Test(arguments: [ClientMethod.get, .put, .delete])
    func `sends every method`(_ method: ClientMethod) throws {
        let echo: HTTP2Listener.Handler = { .respond(HTTP2Response(status: 201, body: Array("\($0.method) \($0.body.count)".utf8))) }
        try HTTP2Fixture.run(handler: echo) { fixture in
            let body = method == .put ? "12345" : ""
            #expect(fixture.client.exchange(request(method, fixture.url, body: body)).text == "\(method.rawValue) \(body.utf8.count)")
        }
    }

    @Test func `transfers large bodies in both directions`() throws {
        let text = String(repeating: "0123456789abcdef", count: 16_384)
        let echo: HTTP2Listener.Handler = { request in
            .respond(HTTP2Response(status: 200, body: Array("\(request.body.count) \(request.isTruncated)".utf8) + Array(text.utf8)))
        }
        try HTTP2Fixture.run(handler: echo) { fixture in
            let whole = fixture.client.exchange(request(.post, fixture.url, body: text, responseBodyLimit: 1 << 20))
            #expect(whole.text == "65536 true\(text)")
            // Truncating a response ends its stream but not the connection.
            #expect(fixture.client.exchange(request(.post, fixture.url, body: "x", responseBodyLimit: 7)).text == "1 false")
            #expect(fixture.client.exchange(request(.post, fixture.url, body: "y", responseBodyLimit: 7)).text == "1 false")
            #expect(fixture.server.counts.accepted == 1)
        }
    }

    @Test func `runs many requests concurrently`() throws {
        let held = HeldStreams()
        try HTTP2Fixture.run(handler: held.add) { fixture in
            let ends = Ends(100)
            for number in 0..<100 { fixture.client.send(fixture.numbered(number)) { ends.add($0, number) } }
            #expect(held.wait(100))
            held.release(.respond(HTTP2Fixture.ok))
            #expect(ends.wait().allSatisfy { $0.status == 200 })
            #expect(fixture.server.counts.accepted == 1)
            #expect(fixture.server.counts.maximumStreams == 100)
        }
    }

    @Test func `loses and confuses no response under load`() throws {
        let echo: HTTP2Listener.Handler = { request in
            let answer = HTTP2Action.respond(HTTP2Response(status: 200, body: Array(request.path.utf8) + request.body))
            // Some are delayed, so that responses arrive in another order.
            return request.stream.number % 7 == 0 ? .after(milliseconds: 2, answer) : answer
        }
        try HTTP2Fixture.run(handler: echo) { fixture in
            let results = fixture.exchange(5000)
            #expect(results.enumerated().allSatisfy { $1.text == "/\($0)body \($0)" })
            let counts = fixture.server.counts
            #expect(counts.accepted == 1)
            #expect(counts.requests == 5000)
            #expect(counts.maximumStreams <= 100)
        }
    }

    @Test func `opens no more connections than allowed`() throws {
        let held = HeldStreams()
        try HTTP2Fixture.run({ $0.connectionsPerHost = 3 }, streamLimit: 10, handler: held.add) { fixture in
            let ends = Ends(100)
            for number in 0..<100 {
                fixture.client.send(fixture.numbered(number)) { result in
                    ends.add(result, number)
                    held.noteEnd()
                }
            }
            while held.waitForMore(unlessEnded: 100) { held.release(.respond(HTTP2Fixture.ok)) }
            #expect(ends.wait().allSatisfy { $0.status == 200 })
            #expect(fixture.server.counts.maximumOpen <= 3)
            #expect(fixture.server.counts.requests == 100)
        }
    }

    @Test func `cancels one stream and keeps the connection`() throws {
        let held = HeldStreams()
        try HTTP2Fixture.run(handler: { $0.path == "/held" ? held.add($0) : .respond(HTTP2Fixture.ok) }) { fixture in
            #expect(fixture.client.exchange(fixture.numbered(1)).status == 200)
            let results = Results()
            let cancellation = fixture.client.send(request("\(fixture.url)held")) { results.add($0) }
            #expect(held.wait(1))
            cancellation?.cancel()
            #expect(results.wait(1)[0].failure == .cancelled)
            // libcurl notifies the server with the next request.
            #expect(fixture.client.exchange(fixture.numbered(2)).status == 200)
            #expect(fixture.server.wait { $0.unanswered == 1 })
            held.release(.respond(HTTP2Fixture.ok))
            #expect(fixture.client.exchange(fixture.numbered(3)).status == 200)
            #expect(fixture.server.counts.accepted == 1)
        }
    }
}
