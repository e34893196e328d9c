import Core
import TestSupport
import Testing
import Threading
import Time

@testable import Storage

/// A set of dead deliveries that is retried in steps.
@Suite struct RetryContractTests {
    /// The set of all dead deliveries that match, as the admin listener returns it.
    private func set(_ store: any Store, _ filter: DeliveryFilter = DeliveryFilter()) throws -> RetryCursor {
        let counts = try store.dead()
        let total = counts.deliveries.filter { filter.matches($0) }.reduce(0) { $0 + $1.count }
        return RetryCursor(endedBy: try #require(counts.endedBy), total: total)
    }

    private func step(
        _ store: any Store, cursor: RetryCursor, filter: DeliveryFilter = DeliveryFilter(), limit: Int
    ) throws -> (done: RetryStep, next: RetryCursor?) {
        var filter = filter
        (filter.state, filter.endedBy) = (.dead, cursor.endedBy)
        let step = try store.retry(filter, after: cursor.place, limit: limit, now: 2500, expiresAt: 1_000_000)
        // As text, like a client.
        return (step, try cursor.after(step).map { try #require(RetryCursor($0.description)) })
    }

    /// Retries all of a set.
    private func retry(
        _ stores: [any Store], _ cursor: RetryCursor, limit: Int, between: (_ left: Int) throws -> Void = { _ in }
    ) throws -> RetryStep {
        var (all, next, round) = (RetryStep(), Optional(cursor), 0)
        while let cursor = next {
            let (done, following) = try step(stores[round % stores.count], cursor: cursor, limit: limit)
            all.add(done)
            (next, round) = (following, round + 1)
            if let following { try between(following.left) }
        }
        return all
    }

    /// Makes deliveries die at time 2000.
    private func fill(_ store: any Store, _ numbers: Range<Int>) throws {
        for first in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 250) {
            try store.takeAll((first..<min(first + 250, numbers.upperBound)).map { Sample($0).with { $0.expires = 1001 } })
        }
        while try !store.giveUpExpired(now: 2000, limit: 1000).isEmpty {}
    }

    /// Meanwhile some of them die again and others for the first time, including some that arrived before all of the set.
    @Test(arguments: Backend.allCases) func `each delivery of a large set is retried once`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let store = fixture.store
        // The store in memory scans all deliveries for each one.
        let (count, limit) = backend == .memory ? (300, 70) : (6000, 700)
        try store.takeAll((0..<20).map { Sample(900_000 + $0).with { $0.notifier = "late" } })
        try fill(store, 0..<count)
        let cursor = try set(store)
        #expect(cursor.total == count)
        var (left, dyingAnew, dyingLater) = ([Int](), 0, 0)
        let all = try retry([store], cursor, limit: limit) { rest in
            left.append(rest)
            for delivery in try store.claim(at: 2600, limit: 5) {
                try store.report(delivery, next: .dead, reason: "status_404", at: 3001)
                dyingAnew += 1
            }
            dyingLater += try store.giveUpPending(notifier: "late", now: 3002, limit: 2)
        }
        #expect(all.retried == count)
        #expect(all.seen == count)
        #expect(all.kept.isEmpty)
        #expect(left == Array(stride(from: count - limit, to: 0, by: -limit)))
        #expect(dyingAnew > 0)
        #expect(dyingLater > 0)
        let counts = try store.deadInOrder().map { "\($0.notifier) \($0.reason) \($0.count)" }
        #expect(counts == ["late purged \(dyingLater)", "log status_404 \(dyingAnew)"])
        #expect(try store.pending().first { $0.notifier == "log" }?.count == count - dyingAnew)
    }

    @Test(arguments: Backend.allCases) func `a delivery that dies after the count is not in the set`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fill(fixture.store, 0..<3)
        let cursor = try set(fixture.store)
        try fixture.store.take(Sample(3).with { $0.expires = 1001 })
        _ = try fixture.store.giveUpExpired(now: 2001, limit: 10)
        #expect(try retry([fixture.store], cursor, limit: 2).retried == 3)
        #expect(try fixture.store.dead().deliveries.map(\.count) == [1])
    }

    @Test(arguments: Backend.allCases) func `criteria narrow the set`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let store = fixture.store
        try store.takeAll(
            (0..<12).map { number in
                Sample(number).with {
                    ($0.expires, $0.app) = (1001, number % 2 == 0 ? "app" : "other")
                    ($0.notifier, $0.user) = (number % 3 == 0 ? "http" : "log", number < 6 ? "early" : "late")
                }
            })
        while try !store.giveUpExpired(now: 2000, limit: 100).isEmpty {}
        var filter = DeliveryFilter()
        (filter.notifier, filter.appID, filter.reason) = ("log", "other", "expired")
        let cursor = try set(store, filter)
        #expect(cursor.total == 4)
        let (done, next) = try step(store, cursor: cursor, filter: filter, limit: 3)
        #expect(done.retried == 3)
        #expect(next?.left == 1)
        let (last, end) = try step(store, cursor: try #require(next), filter: filter, limit: 3)
        #expect(last.retried == 1)
        #expect(end == nil)
        filter.notifier = nil
        filter.userID = "early"
        #expect(
            try step(store, cursor: try set(store), filter: filter, limit: 10).done.retried == 1, "of user early, app other, notifier http")
    }

    @Test(arguments: Backend.allCases, [RetryObstacle.notifierQueueFull, .queueFull])
    func `a delivery that finds no room stays dead`(_ backend: Backend, obstacle: RetryObstacle) throws {
        let fixture = try obstacle == .queueFull ? backend.store(maxPending: 4) : backend.store(perNotifier: 4)
        for first in [0, 4, 8] { try fill(fixture.store, first..<first + 4) }
        let all = try retry([fixture.store], try set(fixture.store), limit: 5)
        #expect(all.retried == 4)
        #expect(all.kept == [obstacle: 8])
        #expect(all.seen == 12)
        #expect(try fixture.store.dead().deliveries.map(\.count) == [8])
        let waiting = try fixture.store.all().filter { $0.state == .pending }.map(\.event.identity.commentID)
        #expect(waiting == [11, 10, 9, 8], "the newest are first")
    }

    /// Otherwise it would end without a target, and could not be retried when the device returns.
    @Test(arguments: Backend.allCases) func `a dead delivery waits for its device`(_ backend: Backend) throws {
        let fixture = try backend.store(aheadMilliseconds: 0)
        try fixture.store.put("A")
        try fixture.store.take(
            Sample(1).with {
                $0.device = "d1"
                $0.requiresDevice = true
            })
        let delivery = try #require(try fixture.store.claim(at: 2000).first)
        try fixture.store.finish([
            FinishedAttempt(
                id: delivery.id, attempt: delivery.attempts, next: .dead, reason: "unregistered", now: 3000, device: delivery.device,
                update: .gone(since: nil))
        ])
        var filter = DeliveryFilter()
        filter.id = delivery.id
        let kept = try fixture.store.retryAll(filter, now: 4000, expiresAt: 9000)
        #expect(kept.kept == [.noDevice: 1])
        #expect(try fixture.store.current(delivery)?.state == .dead)
        #expect(try fixture.store.put("B", at: 5000) == .registered)
        #expect(try fixture.store.retryAll(filter, now: 6000, expiresAt: 9000).retried == 1)
        #expect(try fixture.store.current(delivery)?.state == .pending)
    }

    @Test(arguments: Backend.allCases) func `a set whose deliveries are gone still ends`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fill(fixture.store, 0..<10)
        let all = try retry([fixture.store], try set(fixture.store), limit: 4) { _ in
            _ = try fixture.store.forget(.dead, endedBefore: 3000, limit: 2)
        }
        #expect(all.retried == 8)
        #expect(try fixture.store.dead().deliveries == [])
    }

    /// The cursor alone identifies the set, so it works behind a load balancer and after a restart.
    @Test func `another process continues a set`() throws {
        let place = try PostgresSchemaFixture()
        let replicas = try (0..<2).map { _ in try place.store() }
        defer { for replica in replicas { replica.close() } }
        try fill(replicas[0], 0..<50)
        #expect(try retry(replicas, try set(replicas[1]), limit: 7).retried == 50)

        let directory = try TemporaryDirectory()
        let store = try SQLiteStore(path: directory.path("store.db"))
        try fill(store, 0..<50)
        let (first, next) = try step(store, cursor: try set(store), limit: 30)
        #expect(first.retried == 30)
        store.close()
        let again = try SQLiteStore(path: directory.path("store.db"))
        defer { again.close() }
        #expect(try retry([again], try #require(next), limit: 30).retried == 20)
    }

    /// Two operators retry the same set.
    @Test(arguments: Backend.allCases) func `two concurrent retries retry each delivery once`(_ backend: Backend) throws {
        let fixture = try backend.store { $0.rowsPerCommit = 10 }
        try fill(fixture.store, 0..<200)
        let cursor = try set(fixture.store)
        let retried = Monitor(0)
        let operators = (0..<2).map { _ in
            startThread {
                do {
                    let all = try retry([fixture.store], cursor, limit: 30)
                    retried.withLock { $0 += all.retried }
                } catch {
                    Issue.record("a retry failed: \(error)")
                }
            }
        }
        for one in operators { one.join() }
        #expect(retried.withLock { $0 } == 200)
        #expect(try fixture.store.pending().map(\.count) == [200])
    }
}
