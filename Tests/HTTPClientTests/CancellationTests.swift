import TestSupport
import Testing
import Threading

@testable import HTTPClient

/// Requests that are cancelled, and clients that are closed during requests.
@Suite struct CancellationTests {
    private func cancel(_ script: ScriptedServer.Script, scheme: String = "http", _ isReached: (ScriptedServer) -> Bool) throws {
        try withClient(.init(connectionsPerHost: 1), script: script) { client, server in
            let results = Results()
            let url = "\(scheme)://127.0.0.1:\(server.port)/"
            let cancellation = client.send(request(.post, url, body: "body")) { results.add($0) }
            #expect(isReached(server))
            for _ in 0..<3 { cancellation?.cancel() }
            #expect(results.wait(1)[0].failure == .cancelled)
            #expect(server.waitUntilUnconnected())
            cancellation?.cancel()
            #expect(client.failure(request(url, timeoutMilliseconds: 20)) != nil)
            #expect(results.count == 1)
        }
    }

    @Test func `cancels at once`() throws {
        try cancel(.everyRequest(.hang)) { _ in true }
    }

    @Test func `cancels while connecting`() throws {
        try cancel(.everyConnection(.hang), scheme: "https") { $0.waitForConnections(1) }
    }

    @Test func `cancels while waiting`() throws {
        try cancel(.everyRequest(.hang)) { $0.waitForRequests(1) }
    }

    @Test func `cancels while receiving`() throws {
        try cancel(.everyRequest(.respondWrongly(200, contentLength: 10, body: "short"), .hang)) { $0.waitForRequests(1) }
    }

    @Test func `cancels what waits for its turn`() throws {
        try withClient(.init(connectionsPerHost: 1), script: .everyRequest(.awaitRelease, .respond(200))) { client, server in
            let (running, waiting) = (Results(), Results())
            client.send(request(server.url())) { running.add($0) }
            #expect(server.waitForRequests(1))
            let cancellation = client.send(request(server.url())) { waiting.add($0) }
            cancellation?.cancel()
            #expect(waiting.wait(1)[0].failure == .cancelled)
            server.release()
            #expect(running.wait(1)[0].status == 200)
            #expect(server.requests.count == 1)
        }
    }

    @Test func `ends exactly once in a race`() throws {
        try withClient(.init(), script: .everyRequest(.respond(200))) { client, server in
            let ends = Monitor<[Int]>(Array(repeating: 0, count: 2000))
            let results = Results()
            let cancellations = Monitor<[Cancellation]>([])
            let patience = Int(WaitLimit.programMilliseconds)
            let canceller = startThread {
                for _ in 0..<2000 {
                    cancellations.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0.popLast() }?.cancel()
                }
            }
            for number in 0..<2000 {
                let cancellation = client.send(request(.post, server.url(), body: "\(number)", timeoutMilliseconds: patience)) { result in
                    ends.update { $0[number] += 1 }
                    results.add(result)
                }
                if let cancellation { cancellations.update { $0.append(cancellation) } }
            }
            canceller.join()
            #expect(results.wait(2000).allSatisfy { $0.status == 200 || $0.failure == .cancelled })
            #expect(ends.withLock { $0.allSatisfy { $0 == 1 } })
        }
    }

    @Test func `cancels everything when closed`() throws {
        let server = try ScriptedServer(.everyRequest(.hang))
        defer { server.stop() }
        let client = try Client(settings: ClientSettings(connectionsPerHost: 2))
        let results = Results()
        var cancellation: Cancellation?
        for _ in 0..<20 { cancellation = client.send(request(server.url())) { results.add($0) } }
        #expect(server.waitForRequests(2))
        client.close()
        #expect(results.count == 20)
        #expect(results.wait(20).allSatisfy { $0.failure == .cancelled })
        cancellation?.cancel()
        #expect(client.send(request(server.url())) { results.add($0) } == nil)
        #expect(results.wait(21)[20].failure == .cancelled)
        #expect(server.waitUntilUnconnected())
    }

    @Test func `refuses what a completion sends while closing`() throws {
        let server = try ScriptedServer(.everyRequest(.hang))
        defer { server.stop() }
        let client = try Client()
        let results = Results()
        let another = request(server.url())
        client.send(another) { result in
            results.add(result)
            client.send(another) { results.add($0) }
        }
        #expect(server.waitForRequests(1))
        client.close()
        #expect(results.wait(2).allSatisfy { $0.failure == .cancelled })
    }
}
