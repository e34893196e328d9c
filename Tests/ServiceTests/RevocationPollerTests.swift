import Core
import HTTPServer
import HelpDesk
import Storage
import TestSupport
import Testing
import Threading
import Time

@testable import Configuration
@testable import Service

/// The revocations in force follow those of the store.
@Suite struct RevocationPollerTests {
    private let fixture: ServiceFixture

    init() throws {
        fixture = try ServiceFixture()
    }

    private func graph(_ store: any Store) throws -> ServiceGraph {
        try ServiceGraph(fixture.configuration, logger: fixture.log.logger, clocks: ServiceFixture.clocks) { store }
    }

    private func status(_ graph: ServiceGraph) throws -> Int {
        InProcessClient(graph.publicRouter).send(.post, "/pyrus/authorize", body: try AuthorizeCases.json()).status
    }

    private static let block = Revocation.sample(1, appID: "shop", .user("user-1"))

    /// Also those stored by another process.
    @Test func `applies changes of the store`() throws {
        let store = MemoryStore()
        let graph = try graph(store)
        #expect(try status(graph) == 200)
        #expect(graph.revocations.status.knownAt == TestTime.now)
        try store.revoke(Self.block)
        #expect(try status(graph) == 200)
        graph.revocations.refresh()
        #expect(try status(graph) == 403)
        #expect(graph.revocations.live.current.count == 1)
        _ = try store.removeRevocation(Self.block.id)
        graph.revocations.refresh()
        #expect(try status(graph) == 200)
    }

    @Test func `reports each change once`() throws {
        let store = MemoryStore()
        let reported = Monitor<[RevocationChange?]>([])
        let keeper = RevocationPoller(store, logger: fixture.log.logger, clocks: ServiceFixture.clocks) { change in
            reported.update { $0.append(change) }
        }
        keeper.refresh()
        try store.revoke(Self.block)
        keeper.take(.added(Self.block))
        _ = try store.removeRevocation(Self.block.id)
        keeper.take(.removed(Self.block.id))
        let other = Revocation.sample(2, appID: "shop", .user("user-2"))
        try store.revoke(other)
        keeper.refresh()
        keeper.refresh()
        #expect(reported.withLock { $0 } == [nil, .added(Self.block), .removed(Self.block.id), .added(other)])
        #expect(keeper.live.current.count == 1)
    }

    @Test func `reads all at the start`() throws {
        let store = MemoryStore()
        for number in 10..<5011 as Range<UInt64> { try store.revoke(.sample(number, appID: "other", .keyID(UInt32(number)))) }
        try store.revoke(Self.block)
        let graph = try graph(store)
        #expect(try status(graph) == 403)
        #expect(graph.revocations.live.current.count == 5002)
    }

    @Test func `a reload of the configuration keeps them`() throws {
        let store = MemoryStore()
        let graph = try graph(store)
        try store.revoke(Self.block)
        graph.revocations.take(.added(Self.block))
        try graph.prepare(fixture.configuration)()
        #expect(try status(graph) == 403)
    }

    @Test func `the last known revocations apply while the store is unavailable`() throws {
        let store = try DeliveryStore()
        try store.revoke(Self.block)
        let graph = try graph(store)
        store.refuse(.revocations, times: 4)
        for _ in 0..<3 { graph.revocations.refresh() }
        #expect(try status(graph) == 403)
        // A change made on this replica is in force nevertheless.
        graph.revocations.take(.removed(Self.block.id))
        #expect(try status(graph) == 200)
        graph.revocations.refresh()
        #expect(try status(graph) == 403, "all are read again")
        let lines = try fixture.log.lines()
        #expect(lines.count { $0.contains("the revocations cannot be refreshed; the last known ones stay in force") } == 1)
        #expect(lines.count { $0.contains("the revocations are up to date again") } == 1)
    }

    /// The status is 503, never 403 or 200, because the decision is unknown.
    @Test func `nothing is decided before they are read`() throws {
        let store = try DeliveryStore()
        store.refuse(.revocations, times: 1)
        let graph = try graph(store)
        #expect(try status(graph) == 503)
        #expect(!graph.revocations.status.isKnown)
        let scrape = InProcessClient(graph.adminRouter).send(.get, "/metrics").text
        #expect(scrape.contains(#"{app="",result="undecided",reason="revocations_not_loaded",key_id=""} 1"#))
        graph.revocations.refresh()
        #expect(try status(graph) == 200)
        #expect(try fixture.log.lines().count { $0.contains("the revocation list could not be loaded") } == 1)
    }
}
