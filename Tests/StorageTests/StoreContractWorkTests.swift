import Core
import SQLite
import Storage
import TestSupport
import Testing
import Time

/// Reports and claims of all notifiers in one call.
@Suite struct StoreContractWorkTests {
    private static let names = (10..<30).map { "n\($0)" }

    private func claim(_ notifier: String, at now: UnixMilliseconds, limit: Int = 100) -> Claim {
        Claim(notifier: notifier, now: now, leaseMilliseconds: 1000, limit: limit)
    }

    @Test(arguments: Backend.allCases) func `claims for all notifiers and returns the next due times`(_ backend: Backend) throws {
        let fixture = try backend.store()
        _ = try fixture.store.take(Sample(1).incoming(to: ["a", "b"]))
        try fixture.store.take(
            Sample(2).with {
                $0.notifier = "b"
                $0.received = 7000
            })
        let results = try fixture.store.work([], ["a", "b", "c"].map { claim($0, at: 5000) })
        let claimed = try results.map { try $0.get() }
        #expect(claimed.map(\.deliveries.count) == [1, 1, 0])
        #expect(claimed.map(\.nextDue) == [6000, 6000, nil], "after their leases")
        let report = FinishedAttempt(id: claimed[1].deliveries[0].id, attempt: 1, next: .delivered, reason: "ok", now: 5500)
        let later = try fixture.store.work([report], ["b", "a"].map { claim($0, at: 5500) }).map { try $0.get().nextDue }
        #expect(later == [7000, 6000])
        #expect(try fixture.store.work([], []).isEmpty)
    }

    @Test(arguments: Backend.allCases) func `does a limited amount in one call`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fixture.store.takeAll((0..<300).map { Sample($0).incoming(to: ["a", "b", "c"]) })
        func work() throws -> [Claimed] {
            try fixture.store.work([], ["a", "b", "c"].map { claim($0, at: 2000, limit: 300) }).map { try $0.get() }
        }
        let first = try work()
        #expect(first.map(\.deliveries.count) == [300, 212, 0])
        #expect(first.map { $0.nextDue ?? .max <= 2000 } == [false, true, true])
        #expect(try work().map(\.deliveries.count) == [0, 88, 300])
    }

    @Test func `one commit works for all notifiers`() throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteStore(path: directory.path("store.db"))
        defer { store.close() }
        _ = try store.take(Sample(1).incoming(to: Self.names))
        _ = try store.take(Sample(2).incoming(to: Self.names))
        let before = store.commits
        let claimed = try store.work([], Self.names.map { claim($0, at: 2000, limit: 1) }).flatMap { try $0.get().deliveries }
        #expect(claimed.count == Self.names.count)
        #expect(store.commits == before + 1)
        let reports = claimed.map { FinishedAttempt(id: $0.id, attempt: 1, next: .delivered, reason: "ok", now: 2001) }
        #expect(try store.work(reports, Self.names.map { claim($0, at: 2001) }).count == Self.names.count)
        #expect(store.commits == before + 2)
        #expect(try store.all().count { $0.state == .delivered } == Self.names.count)
    }

    /// The second of a notifier's deliveries has an unknown kind.
    @Test func `a failed claim delays neither reports nor other claims`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("store.db")
        let store = try SQLiteStore(path: path)
        defer { store.close() }
        let running = try store.take(Sample(1).with { $0.notifier = "a" })
        #expect(try store.claim("a", at: 2000).count == 1)
        for number in 2...3 { try store.take(Sample(number).with { $0.notifier = "b" }) }
        try store.take(Sample(4).with { $0.notifier = "c" })
        try Self.spoil(Sample(3), path)
        let report = FinishedAttempt(id: running.id, attempt: 1, next: .delivered, reason: "ok", now: 2001)
        let results = try store.work([report], ["a", "b", "c"].map { claim($0, at: 2001) })
        #expect(try results[0].get() == Claimed(nextDue: nil))
        #expect(throws: StoreError.self) { try results[1].get() }
        #expect(try results[2].get().deliveries.map(\.notifier) == ["c"])
        #expect(try store.current(running)?.state == .delivered)
        #expect(try store.story(of: Sample(2).delivery().id)?.attempts.isEmpty == true, "nothing of the failed claim stays")
        #expect(try store.pending().map { "\($0.notifier) \($0.count)" } == ["b 2", "c 1"])
        #expect(store.refusal == nil, "and webhooks are still accepted")
    }

    @Test func `an unknown state is not parsed`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("store.db")
        let store = try SQLiteStore(path: path)
        defer { store.close() }
        let delivery = try store.take(Sample(1))
        let connection = try Connection(path: path, mode: .readWriteCreate)
        connection.setBusyTimeout(milliseconds: Int32(WaitLimit.milliseconds))
        try Statement(connection, "UPDATE deliveries SET state = 4").run()
        try connection.close()
        #expect(throws: StoreError.self) { try store.story(of: delivery.id) }
    }

    private static func spoil(_ sample: Sample, _ path: String) throws {
        let connection = try Connection(path: path, mode: .readWriteCreate)
        connection.setBusyTimeout(milliseconds: Int32(WaitLimit.milliseconds))
        try Statement(connection, "UPDATE events SET kind = 'x' WHERE comment_id = ?1").run(
            sample.delivery().event.identity.commentID?.text)
        try connection.close()
    }
}
