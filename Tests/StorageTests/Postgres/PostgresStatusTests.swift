import Core
import Postgres
import TestSupport
import Testing
import Threading
import Time

@testable import Storage

@Suite struct PostgresStatusTests {
    private let place: PostgresSchemaFixture

    init() throws {
        place = try PostgresSchemaFixture()
    }

    private func store() throws -> PostgresStore {
        var settings = StoreSettings()
        settings.maxPending = 3
        settings.heartbeatMilliseconds = 50
        return try place.store(settings)
    }

    private func elected(_ stores: [PostgresStore]) -> [PostgresStore] { stores.filter { $0.replicaStatus.isElected } }

    @Test func `one of the live processes is elected`() throws {
        var stores = try (0..<3).map { _ in try store() }
        defer { for store in stores { store.close() } }
        #expect(eventually { stores.allSatisfy(\.replicaStatus.isOnline) && elected(stores).count == 1 })
        let first = try #require(elected(stores).first)
        first.close()
        stores.removeAll { $0 === first }
        #expect(eventually { elected(stores).count == 1 })
    }

    @Test func `a process that is silent is not counted`() throws {
        let store = try store()
        defer { store.close() }
        #expect(store.replicaStatus == .alone)
        let id = "INSERT INTO replicas VALUES ('00000000-0000-7000-8000-000000000000', $1)" as StaticString
        try place.run(Query(id, .int8(Int64(SystemClock.unixMilliseconds().rawValue))))
        #expect(eventually { store.replicaStatus == ReplicaStatus(isElected: false, isOnline: true) })
        let silence = "UPDATE replicas SET seen_at = seen_at - $1 WHERE id = '00000000-0000-7000-8000-000000000000'" as StaticString
        try place.run(Query(silence, .int8(Int64(2 * Replica.deadMilliseconds))))
        #expect(eventually { store.replicaStatus == .alone })
    }

    @Test func `each process has the keys of the others`() throws {
        let (first, second) = (try store(), try store())
        defer { for store in [first, second] { store.close() } }
        func reported(_ store: PostgresStore) -> [Bool: String?] {
            Dictionary(store.replicas.map { ($0.isOwn, $0.keysDigest) }) { left, _ in left }
        }
        #expect(eventually { reported(first) == [true: nil, false: nil] })
        first.announce(keysDigest: "one")
        #expect(reported(first)[true] == "one", "of itself each knows at once")
        #expect(eventually { reported(second) == [true: nil, false: "one"] })
        second.announce(keysDigest: "two")
        #expect(eventually { reported(first) == [true: "one", false: "two"] && reported(second) == [true: "two", false: "one"] })
        #expect(first.replicas.allSatisfy { $0.silentMilliseconds < WaitLimit.milliseconds })
        #expect(first.replicas.map(\.id) == second.replicas.map(\.id))
        second.close()
        #expect(eventually { reported(first) == [true: "one"] })
    }

    /// Processes query only others whose keys they have.
    @Test func `new keys are reported before the next heartbeat`() throws {
        var settings = StoreSettings()
        settings.heartbeatMilliseconds = 100 * WaitLimit.milliseconds
        let (rare, other) = (try place.store(settings), try store())
        defer { for store in [rare, other] { store.close() } }
        // The heartbeat of the start may report the first keys.
        for digest in ["one", "two"] {
            rare.announce(keysDigest: digest)
            #expect(eventually { other.replicas.contains { $0.keysDigest == digest } })
        }
    }

    @Test func `a process detects its silence before the others do`() {
        let heartbeat = Heartbeat(sentAt: 1000, clock: DatabaseClock(showing: 0, at: 0, within: 0, beside: { 0 }), isFirst: true)
        let silent = MonotonicMilliseconds(rawValue: 1000 + TimeLimit.milliseconds(20_000))
        #expect(heartbeat.status(now: silent - 1) == ReplicaStatus(isElected: true, isOnline: true))
        #expect(heartbeat.status(now: silent) == ReplicaStatus(isElected: false, isOnline: false))
    }

    /// The measured duration does not depend on changes of this machine's clock.
    @Test(arguments: [7_200_000, -7_200_000] as [Int64])
    func `a clock that is set during a heartbeat is detected at once`(_ by: Int64) throws {
        // The test sets the clock after it was read, and before the heartbeat ends.
        let isSet = Monitor(false)
        let clock: @Sendable () -> UnixMilliseconds = {
            let wasSet = isSet.withLock { isSet in
                defer { isSet = true }
                return isSet
            }
            return SystemClock.unixMilliseconds().advanced(by: wasSet ? by : 0)
        }
        let session = try PostgresSession(place.settings(), replica: Array(repeating: 1, count: 16))
        try session.migrate()
        let heartbeat = try session.beat(keysDigest: nil, clock)
        isSet.withLock { $0 = true }
        let shown = clock()
        let stored = heartbeat.clock.offset(for: shown).databaseTime(shown)
        #expect(stored.offset(from: SystemClock.unixMilliseconds()).magnitude < 60_000)
    }

    /// A caller reads the clock, the clock is set, and only then the store gets the time that was read.
    @Test(arguments: [7_200_000, -7_200_000] as [Int64])
    func `a time read before the clock was set is converted correctly`(_ by: Int64) {
        let ahead = Monitor<Int64>(0)
        let clock: @Sendable () -> UnixMilliseconds = { [ahead] in SystemClock.unixMilliseconds().advanced(by: ahead.withLock { $0 }) }
        let database = DatabaseClock(showing: SystemClock.unixMilliseconds(), at: SystemClock.bootMilliseconds(), within: 0, beside: clock)
        let earlier = clock()
        ahead.withLock { $0 = by }
        for shown in [earlier, clock()] {
            let stored = database.offset(for: shown).databaseTime(shown)
            #expect(stored.offset(from: SystemClock.unixMilliseconds()).magnitude < 60_000)
        }
    }

    /// Each transaction adds rows with its changes.
    @Test func `the queue's depth is the sum of the rows`() throws {
        let first = try store()
        for number in 1...2 { try first.take(Sample(number)) }
        first.close()
        let second = try store()
        defer { second.close() }
        try second.take(Sample(3))
        let summed = Query("DO $$ BEGIN ASSERT (SELECT array_agg(pending) FROM depth) = '{3}'; END $$")
        #expect(eventually { (try? place.run(summed)) != nil })
        #expect(throws: StoreError.self) { try second.take(Sample(4)) }
        #expect(second.refusal?.kind == .queueFull)
    }
}
