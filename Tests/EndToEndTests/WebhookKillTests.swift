import TestSupport
import Testing

private struct Tally {
    var identifiers: [Int64: Set<String>] = [:]
    var requestCount = 0

    /// Takes in what has arrived since the last call.
    mutating func update(_ sink: ScriptedServer) throws {
        for request in sink.requests.dropFirst(requestCount) {
            requestCount += 1
            let comment = try #require(try WebhookSite.comment(of: request))
            identifiers[comment, default: []].insert(request.header("webhook-id") ?? "none")
        }
    }
}

/// The promise of the whole: what was answered 200 arrives, whatever becomes of the process.
@Suite struct WebhookKillTests {
    private static let kills = 50

    @Test func `nothing accepted is lost`() throws {
        let sink = try ScriptedServer(.everyRequest(.respond(200)))
        defer { sink.stop() }
        // What was under way at a kill is tried again by the next process at once; its lease would last for longer than the test waits.
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
