import Core
import Storage
import TestSupport
import Testing
import Threading
import Time

/// Restarts, loss of power and other processes: a call that has begun is performed at most once.
@Suite struct BotCallLossTests {
    private static let ending = BotCall.Ending(.succeeded, statusCode: 200, at: 1500)

    @Test func `a restart keeps all calls`() throws {
        let directory = try TemporaryDirectory()
        let calls = [BotCall.sample(1, key: 1), .sample(2, key: 2, arguments: "{}"), .sample(3)]
        let store = try SQLiteStore(path: directory.path("store.db"))
        for call in calls { try store.begin(call) }
        try store.end(calls[0], Self.ending)
        store.close()
        let again = try SQLiteStore(path: directory.path("store.db"))
        defer { again.close() }
        #expect(try again.allCalls() == [calls[2], calls[1], calls[0].ended(Self.ending)])
        #expect(try again.begin(.sample(4, key: 1)) == .repeated(calls[0].ended(Self.ending)))
        #expect(try again.begin(.sample(4, key: 2)) == .repeated(calls[1]))
    }

    /// The files as a kill leaves them contain each call that was reported as begun, and it does not begin again.
    @Test func `a kill keeps every begun call`() throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteStore(path: directory.path("store.db"))
        defer { store.close() }
        let calls = (1...50).map { BotCall.sample($0, key: $0) }
        for (number, call) in calls.enumerated() {
            #expect(try store.begin(call) == .new)
            guard number % 10 == 9 else { continue }
            for name in ["store.db", "store.db-wal"] {
                try directory.write("cut-\(number)/\(name)", try FileBytes.read(directory.path(name)))
            }
            let again = try SQLiteStore(path: directory.path("cut-\(number)/store.db"))
            defer { again.close() }
            for call in calls[...number] { #expect(try again.begin(call) == .repeated(call)) }
            let lost = try again.markLostBotCalls(startedBefore: 2000, now: 9000, limit: 100)
            #expect(lost.count == number + 1)
            #expect(lost.allSatisfy { $0.outcome == .unknown })
        }
    }

    /// For any order in which several processes receive the same calls, each call begins once.
    @Test func `one of all replicas begins a call`() throws {
        let place = try PostgresSchemaFixture()
        let stores = try [place.store(), place.store()]
        defer { for store in stores { store.close() } }
        let began = Monitor<[Int: Int]>([:])
        onThreads(4) { index in
            for number in 0..<50 {
                do {
                    // In different orders, which could cause a deadlock.
                    let key = index % 2 == 0 ? number : 49 - number
                    let call = BotCall.sample(1000 * (index + 1) + number, key: key)
                    if try stores[index % 2].begin(call) == .new { began.withLock { $0[key, default: 0] += 1 } }
                } catch {
                    Issue.record("a call did not begin: \(error)")
                }
            }
        }
        #expect(began.withLock { $0 } == Dictionary(uniqueKeysWithValues: (0..<50).map { ($0, 1) }))
        #expect(try stores[1].allCalls().count == 50)
    }

    @Test func `each replica sees and ends the others' calls`() throws {
        let place = try PostgresSchemaFixture()
        let stores = try [place.store(), place.store()]
        defer { for store in stores { store.close() } }
        let call = BotCall.sample(1, key: 1)
        try stores[0].begin(call)
        #expect(try stores[1].begin(.sample(2, key: 1)) == .repeated(call))
        try stores[0].end(call, Self.ending)
        #expect(try stores[1].begin(.sample(3, key: 1)) == .repeated(call.ended(Self.ending)))
        let lost = (10..<40).map { BotCall.sample($0, key: $0) }
        for call in lost { try stores[0].begin(call) }
        let found = Monitor<[UUIDv7]>([])
        onThreads(2) { index in
            while let step = try? stores[index].markLostBotCalls(startedBefore: 2000, now: 9000, limit: 4), !step.isEmpty {
                found.withLock { $0 += step.map(\.id) }
            }
        }
        let ids = found.withLock { $0 }
        // The process that finds all next rows locked ends early; the other one continues.
        #expect(ids.count == 30)
        #expect(Set(ids) == Set(lost.map(\.id)))
    }

    /// Times are stored by the database's clock, and returned by each process's own.
    @Test func `processes with different clocks agree`() throws {
        let place = try PostgresSchemaFixture()
        let ahead = try place.store(clock: { SystemClock.unixMilliseconds() + 3_600_000 })
        let right = try place.store()
        defer { for store in [ahead, right] { store.close() } }
        let now = SystemClock.unixMilliseconds()
        try ahead.begin(.sample(1, key: 1, at: now + 3_600_000))
        let reported = try #require(try right.botCall(UUIDv7(milliseconds: now + 3_600_000, number: 1)))
        #expect(reported.at.offset(from: now).magnitude < 60_000)
        var filter = BotCallFilter()
        filter.since = now + 3_000_000
        #expect(try ahead.allCalls(filter).count == 1)
        #expect(try right.allCalls(filter).isEmpty)
        #expect(try right.markLostBotCalls(startedBefore: now.saturating(subtracting: 60_000), now: now, limit: 9) == [])
    }

    /// A call whose caller no longer waits does not begin.
    @Test(arguments: [Backend.sqlite, .postgres]) func `an abandoned call does not begin`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let answer = Answer<BotCallBeginning>()
        fixture.store.begin(.sample(1, key: 1), isAwaited: { false }) { answer.set($0) }
        #expect(throws: StoreError.self) { try answer.get() }
        #expect(try fixture.store.allCalls() == [])
        #expect(try fixture.store.begin(.sample(2, key: 1)) == .new)
    }
}
