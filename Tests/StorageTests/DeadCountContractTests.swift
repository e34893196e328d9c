import Core
import Postgres
import TestSupport
import Testing
import Threading
import Time

@testable import Storage

/// The store's counts of dead deliveries equal those of a list of all deliveries, after any operations.
@Suite struct DeadCountContractTests {
    /// - Returns: the number of dead deliveries.
    @discardableResult
    private func expectExact(
        _ store: any Store, _ step: Testing.Comment, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Int {
        let dead = try store.all().reversed().filter { $0.state == .dead }
        let groups = Dictionary(grouping: dead) { [ByteKey($0.notifier), ByteKey($0.event.identity.appID), ByteKey($0.reason)] }
        let listed = groups.map { name, deliveries in
            let (first, last) = (deliveries[0].event.receivedAt, deliveries[deliveries.count - 1].event.receivedAt)
            return "\(name.map(\.text)) \(deliveries.count) \(first) \(last) \(deliveries.compactMap(\.endedAt).max() ?? 0)"
        }
        let counted = try store.dead().deliveries.map {
            "\([$0.notifier, $0.appID, $0.reason]) \($0.count) \($0.oldestReceivedAt) \($0.newestReceivedAt) \($0.newestEndedAt ?? 0)"
        }
        #expect(counted.sorted() == listed.sorted(), step, sourceLocation: sourceLocation)
        return dead.count
    }

    private func take(_ store: any Store, numbers: Range<Int>, change: (inout Sample) -> Void = { _ in }) throws {
        try store.takeAll(
            numbers.map { number in
                Sample(number).with {
                    $0.received = 1000 + UInt64(number)
                    change(&$0)
                }
            })
    }

    @Test(arguments: Backend.allCases) func `each way to die is counted`(_ backend: Backend) throws {
        let fixture = try backend.store(perNotifier: 8)
        let store = fixture.store
        #expect(try store.dead() == DeadCounts([], endedBy: nil))
        try take(store, numbers: 0..<8) { $0.app = $0.number < 5 ? "app" : "other" }
        #expect(try expectExact(store, "pending") == 0)
        let claimed = try store.claim(at: 3000)
        try store.report(claimed[0], next: .dead, reason: "status_404", at: 3001)
        #expect(try expectExact(store, "an answer that cannot be mended") == 1)
        try store.report(claimed[1], next: .dead, reason: "status_404", at: 3001)
        try store.report(claimed[1], next: .dead, reason: "status_404", at: 3001)
        #expect(try expectExact(store, "of two reports the first counts") == 2)
        try store.report(claimed[2], next: .givenUp(.expired), reason: "status_503", at: 3002)
        try store.report(claimed[3], next: .delivered, reason: "200", at: 3002)
        try store.report(claimed[4], next: .retry(at: 5000), reason: "status_503", at: 3002)
        #expect(try expectExact(store, "given up, delivered, retried later") == 3)
        #expect(try store.giveUpPending(notifier: "log", now: 3003, limit: 1) == 1)
        #expect(try expectExact(store, "purged by an operator") == 4)
        try take(store, numbers: 8..<12) { $0.expires = 1010 }
        #expect(try store.giveUpExpired(now: 3400, limit: 2).map(\.count) == [2])
        #expect(try expectExact(store, "expired, found by the chore") == 6)
        #expect(try store.claimDue(Claim(notifier: "log", now: 3500, leaseMilliseconds: 1, limit: 1)).expired == 2)
        #expect(try expectExact(store, "expired, found by a claim") == 8)
    }

    @Test(arguments: Backend.allCases) func `a delivery that is dead from the start is counted`(_ backend: Backend) throws {
        let fixture = try backend.store(perNotifier: 2)
        for number in 0..<4 {
            _ = try fixture.store.take(Sample(number).incoming(to: number < 2 ? ["full"] : ["full", "other"]))
        }
        #expect(try fixture.store.dead().deliveries.map(\.reason) == ["notifier_queue_full"])
        #expect(try expectExact(fixture.store, "no room") == 2)
    }

    @Test(arguments: Backend.allCases) func `each way to leave the state is counted`(_ backend: Backend) throws {
        let fixture = try backend.store { $0.rowsPerCommit = 3 }
        let store = fixture.store
        try take(store, numbers: 0..<30) {
            $0.user = $0.number % 3 == 0 ? "leaves" : "stays"
            $0.expires = 1100
            $0.keepsOrder = $0.number % 2 == 0
        }
        while try !store.giveUpExpired(now: 2000, limit: 7).isEmpty {}
        #expect(try expectExact(store, "expired") == 30)
        var one = DeliveryFilter()
        one.id = Sample(7).delivery().id
        #expect(try store.retryAll(one, now: 2001, expiresAt: 9000).retried == 1)
        #expect(try expectExact(store, "one is retried") == 29)
        let claimed = try #require(try store.claim(at: 2001).first)
        try store.report(claimed, next: .dead, reason: "status_404", at: 2002)
        #expect(try expectExact(store, "it dies anew, for another reason") == 30)
        let person = AppUser(appID: "app", userID: "leaves")
        #expect(try store.erase(person, now: 2003, telling: .nobody).deliveries == 10)
        #expect(try expectExact(store, "a person is forgotten") == 20)
        #expect(try store.purge(now: 2003, deliveredBefore: 0, deadBefore: 2001, limit: 4) == 4)
        #expect(try expectExact(store, "the retention is over") == 16)
        #expect(try store.forget(.dead, endedBefore: 2001, limit: 5) == 5)
        #expect(try expectExact(store, "deleted by an operator") == 11)
        #expect(try store.retryAll(DeliveryFilter(), now: 2004, expiresAt: 9000).retried == 11)
        #expect(try store.dead() == DeadCounts([], endedBy: nil))
    }

    @Test(arguments: Backend.allCases) func `many are counted exactly`(_ backend: Backend) throws {
        let fixture = try backend.store()
        // The store in memory scans all deliveries for each one.
        let count = backend == .memory ? 250 : 3000
        for first in stride(from: 0, to: count, by: 250) {
            try fixture.store.takeAll((first..<first + 250).map { Sample($0).with { $0.expires = 1001 }.incoming(to: ["http", "log"]) })
        }
        while try !fixture.store.giveUpExpired(now: 2000, limit: 1000).isEmpty {}
        #expect(try fixture.store.deadInOrder().map { "\($0.notifier) \($0.count)" } == ["http \(count)", "log \(count)"])
    }

    @Test func `a file that is opened again has the counts`() throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteStore(path: directory.path("store.db"))
        try take(store, numbers: 0..<3) { $0.expires = 1100 }
        _ = try store.giveUpExpired(now: 2000, limit: 10)
        store.close()
        let again = try SQLiteStore(path: directory.path("store.db"))
        defer { again.close() }
        #expect(try expectExact(again, "opened again") == 3)
    }

    /// Replicas that concurrently end, retry and delete deliveries of one notifier neither deadlock nor miscount.
    @Test func `concurrent replicas count exactly`() throws {
        let place = try PostgresSchemaFixture()
        var settings = StoreSettings()
        // Rows are summed up at the same time.
        (settings.heartbeatMilliseconds, settings.rowsPerCommit) = (20, 10)
        let stores = try (0..<3).map { _ in try place.store(settings) }
        defer { for store in stores { store.close() } }
        try take(stores[0], numbers: 0..<300) { $0.expires = 1_000_000 }
        let workers = stores.enumerated().map { index, store in
            startThread {
                do {
                    for round in 0..<12 {
                        let now = UnixMilliseconds(2000 + 10 * round)
                        let claimed = try store.claim(at: now, limit: 20)
                        try store.finish(
                            claimed.map {
                                FinishedAttempt(
                                    id: $0.id, attempt: $0.attempts, next: .dead, reason: "r\(round % 2)", now: now + UInt64(index))
                            })
                        switch index {
                        case 0: _ = try store.retryAll(DeliveryFilter(), now: now + 5, expiresAt: 1_000_000)
                        case 1: _ = try store.forget(.dead, endedBefore: now, limit: 5)
                        default: _ = try store.giveUpPending(notifier: "log", now: now + 5, limit: 5)
                        }
                    }
                } catch {
                    Issue.record("a replica failed: \(error)")
                }
            }
        }
        for worker in workers { worker.join() }
        for store in stores { try expectExact(store, "after all") }
    }

    /// Otherwise a reader of the counts would scan a row for each delivery that ever died.
    @Test func `a heartbeat sums up the rows`() throws {
        let place = try PostgresSchemaFixture()
        var settings = StoreSettings()
        settings.heartbeatMilliseconds = 50
        let store = try place.store(settings)
        defer { store.close() }
        try take(store, numbers: 0..<20) { $0.expires = 1100 }
        _ = try store.giveUpExpired(now: 2000, limit: 20)
        let summed = Query("DO $$ BEGIN ASSERT (SELECT array_agg(count) FROM dead_counts) = '{20}'; END $$")
        #expect(eventually { (try? place.run(summed)) != nil })
        #expect(try expectExact(store, "summed up") == 20)
        _ = try store.forget(.dead, endedBefore: 3000, limit: 20)
        #expect(eventually { (try? place.run(Query("SELECT count FROM dead_counts")))??.isEmpty == true })
    }
}
