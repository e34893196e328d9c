import Core
import HelpDesk
import TestSupport
import Testing
import Threading

/// An answered change is in force on its replica, during any actions of other replicas or a running refresh.
@Suite struct RevocationOrderTests {
    private static let app = Application(id: "shop", keys: [])

    private let fixture: ServiceFixture
    private let reported = Monitor<[RevocationChange?]>([])

    init() throws {
        fixture = try ServiceFixture()
    }

    private func keeper(_ store: any Store) -> RevocationPoller {
        RevocationPoller(store, logger: fixture.log.logger, clocks: ServiceFixture.clocks) { [reported] change in
            reported.update { $0.append(change) }
        }
    }

    private func isBlocked(_ keeper: RevocationPoller, userID: String = "user-1") throws -> Bool {
        let (appID, userID) = (Array("shop".utf8), Array(userID.utf8))
        return try keeper.live.current.blocks(app: Self.app.digest, appID: appID.span, userID: userID.span)
    }

    @Test(arguments: RevocationInterleaving.all) func `an answered change is in force at once and later`(
        _ interleaving: RevocationInterleaving
    ) throws {
        let store = try DeliveryStore()
        let keeper = keeper(store)
        for revocation in interleaving.known { try store.revoke(revocation) }
        keeper.refresh()
        try interleaving.run(store, keeper)
        let count = try store.allRevocations().count
        #expect(try isBlocked(keeper) == interleaving.isBlocked)
        #expect(keeper.live.current.count == count)
        keeper.refresh()
        #expect(try isBlocked(keeper) == interleaving.isBlocked)
        #expect(keeper.live.current.count == count)
    }

    /// Two replicas add and remove revocations, and read the store, which sometimes fails.
    @Test func `an answering replica agrees with the store`() throws {
        var generator = SeededGenerator(seed: 44)
        let store = try DeliveryStore()
        let replicas = [keeper(store), keeper(store)]
        for replica in replicas { replica.refresh() }
        var all: [Revocation] = []
        var changes: [RevocationChange] = []
        for number in 0..<2000 as Range<UInt64> {
            let replica = generator.element(of: replicas)
            if UInt64.random(in: 0..<8, using: &generator) == 0 { store.refuse(.revocations, times: 1) }
            switch UInt64.random(in: 0..<4, using: &generator) {
            case 0:
                let new = Revocation.sample(number, appID: "shop", .user("user-\(UInt64.random(in: 0..<4, using: &generator))"))
                try store.revoke(new)
                all.append(new)
                changes.append(.added(new))
            case 1 where !all.isEmpty:
                let gone = all.remove(at: Int.random(in: all.indices, using: &generator))
                _ = try store.removeRevocation(gone.id)
                changes.append(.removed(gone.id))
            case 2: replica.refresh()
            default:
                // Delayed and in any order. The store's later changes apply.
                let change = changes.isEmpty ? nil : changes.remove(at: Int.random(in: changes.indices, using: &generator))
                store.refuse(.revocations, times: 0)
                replica.take(change)
                #expect(replica.live.current.count == all.count)
                for user in (0..<4).map({ "user-\($0)" }) {
                    #expect(try isBlocked(replica, userID: user) == all.contains { $0.subject == .user(user) }, "\(user) after \(number)")
                }
            }
        }
    }

    /// Listeners discard decisions made without the change, so no such decision may be made afterwards.
    @Test func `listeners are notified after a change is in force`() throws {
        let store = try DeliveryStore()
        let seen = Monitor<[Int]>([])
        let box = Monitor<RevocationPoller?>(nil)
        let keeper = RevocationPoller(store, logger: fixture.log.logger, clocks: ServiceFixture.clocks) { _ in
            let count = box.withLock { $0 }?.live.current.count
            seen.update { $0.append(count ?? -1) }
        }
        box.update { $0 = keeper }
        keeper.refresh()
        try store.revoke(RevocationInterleaving.block)
        keeper.refresh()
        try store.revoke(RevocationInterleaving.secondBlock)
        keeper.take(.added(RevocationInterleaving.secondBlock))
        _ = try store.removeRevocation(RevocationInterleaving.block.id)
        store.refuse(.revocations, times: 1)
        keeper.take(.removed(RevocationInterleaving.block.id))
        box.update { $0 = nil }
        #expect(seen.withLock { $0 } == [0, 1, 2, 1])
    }

    @Test func `listeners are not notified of a change that is not in force`() throws {
        let store = try DeliveryStore()
        let keeper = keeper(store)
        keeper.refresh()
        try store.revoke(RevocationInterleaving.block)
        // A refresh reads until there is no further change. Its second read fails.
        store.afterAnswers(1) { () throws(StoreError) in store.refuse(.revocations, times: 1) }
        keeper.refresh()
        #expect(try !isBlocked(keeper))
        #expect(reported.withLock { $0 } == [nil])
        keeper.refresh()
        #expect(try isBlocked(keeper))
        #expect(reported.withLock { $0 } == [nil, nil])
    }
}
