import TestSupport
import Testing
import Threading

@testable import HTTPClient

/// Many requests, and the resources left after them.
@Suite struct LoadTests {
    @Test func `ends every request once`() throws {
        let total = 20_000
        try withClient(.init(requestLimit: total), script: .everyRequest(.respond(200))) { client, server in
            let ends = Monitor<[Int]>(Array(repeating: 0, count: total))
            let results = Results()
            let url = server.url()
            let senders = (0..<4).map { sender in
                startThread {
                    for number in stride(from: sender, to: total, by: 4) {
                        let request = request(.post, url, body: "\(number)", timeoutMilliseconds: Int(WaitLimit.programMilliseconds))
                        client.send(request) { result in
                            ends.withLock { $0[number] += 1 }
                            results.add(result)
                        }
                    }
                }
            }
            for sender in senders { sender.join() }
            #expect(results.wait(total).allSatisfy { $0.status == 200 })
            #expect(ends.withLock { $0.allSatisfy { $0 == 1 } })
            #expect(server.connectionCount <= 16)
            #expect(Set(server.requests.map { $0.text }).count == total)
        }
    }

    // In a process of its own, because other tests open descriptors and start threads concurrently.
    @Test func `leaves no resources behind`() async {
        await #expect(processExitsWith: .success) {
            try useClient()
            let lives = 5
            let (descriptors, threads) = (ownDescriptors().count, ownThreadCount())
            for _ in 0..<lives { try useClient() }
            // Not equality: a joined thread may still be listed briefly, also when the threads are counted before.
            #expect(eventually { ownDescriptors().count < descriptors + lives })
            #expect(eventually { ownThreadCount() < threads + lives })
        }
    }
}

/// Creates and closes a client, with a name lookup, a failure, and requests that are cancelled.
private func useClient() throws {
    let server = try ScriptedServer(.requests([[.respond(200)], [.hang]]))
    defer { server.stop() }
    let client = try Client()
    let result = client.exchange(request("http://localhost:\(server.port)/"))
    let failure = client.failure(request("https://127.0.0.1:\(server.port)/", timeoutMilliseconds: 20))
    for _ in 0..<5 { client.send(request(server.url())) { _ in } }
    let isReached = server.waitForRequests(6)
    client.close()
    #expect(result.status == 200)
    #expect(failure != nil)
    #expect(isReached)
}
