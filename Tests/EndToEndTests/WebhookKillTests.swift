import TestSupport
import Testing

private struct Tally {
    var identifiers: [Int64: Set<String>] = [:]
    var requestCount = 0

    /// Records the events that have arrived since the last call.
    mutating func update(_ sink: ScriptedServer) throws {
        for request in sink.requests.dropFirst(requestCount) {
            requestCount += 1
            let comment = try #require(try WebhookSite.comment(of: request))
            identifiers[comment, default: []].insert(request.header("webhook-id") ?? "none")
        }
    }
}

/// The guarantee of the whole program: an event answered 200 arrives, even if the process is killed.
@Suite struct WebhookKillTests {
    private static let kills = 50

    @Test func `no accepted event is lost`() throws {
        let sink = try ScriptedServer(.everyRequest(.respond(200)))
        defer { sink.stop() }
        // The next process retries attempts interrupted by a kill at once; their leases would outlast the test's time limit.
        let site = try WebhookSite(sink, log: false)
        let load = WebhookLoad(clients: 8)
        var random = SeededGenerator(seed: 20_260_310)
        for _ in 0..<Self.kills {
            let server = try site.start()
            load.use(server.publicAddress)
            #expect(load.waitForMore(Int.random(in: 1...60, using: &random)))
            server.process.send(9)
            load.use(nil)
            #expect(try server.process.waitForEnd() == .signal(9))
        }
        load.stop()
        let accepted = load.accepted
        let last = try site.start()
        var tally = Tally()
        for _ in 0..<2 where !accepted.isSubset(of: tally.identifiers.keys) {
            _ = eventually { (try? tally.update(sink)) != nil && accepted.isSubset(of: tally.identifiers.keys) }
        }
        #expect(try last.stop() == .exit(0))
        try tally.update(sink)
        let lost = accepted.subtracting(tally.identifiers.keys).count
        let duplicates = tally.requestCount - tally.identifiers.count
        print("kills=\(Self.kills) accepted=\(accepted.count) lost=\(lost) arrived=\(tally.identifiers.count) duplicates=\(duplicates)")
        #expect(lost == 0)
        #expect(tally.identifiers.values.allSatisfy { $0.count == 1 && !$0.contains("none") })
    }
}
