import Core
import Storage
import TestSupport
import Testing
import Time

@Suite struct PostgresPauseTests {
    private func pauses(_ store: any Store, _ update: PauseUpdate..., at now: UnixMilliseconds = 1000) throws -> [SharedPause]? {
        let claim = Claim(notifier: "log", now: now, leaseMilliseconds: 1, limit: 0, pauseUpdates: update)
        return try store.claimDue(claim).pauses?.sorted { $0.kind.rawValue < $1.kind.rawValue }
    }

    @Test func `are reported to all processes and end for all`() throws {
        let place = try PostgresSchemaFixture()
        let (first, second) = (try place.store(), try place.store())
        defer {
            first.close()
            second.close()
        }
        #expect(try pauses(first) == [])
        #expect(
            try pauses(first, .begins(SharedPause(.misconfigured, reason: "gone", until: .max)))
                == [SharedPause(.misconfigured, reason: "gone", until: .max, isOwn: true)])
        #expect(try pauses(second) == [SharedPause(.misconfigured, reason: "gone", until: .max)])
        let (refused, slow) = (
            SharedPause(.misconfigured, reason: "status_401", until: 61_000), SharedPause(.slowDown, reason: "status_429", until: 5000)
        )
        _ = try pauses(second, .begins(refused), .begins(slow))
        #expect(try pauses(first) == [refused, slow])
        #expect(try pauses(first, .ends) == [slow])
        #expect(try pauses(second).map { $0.map(\.isOwn) } == [true])
        #expect(try second.claimDue(Claim(notifier: "other", now: 1000, leaseMilliseconds: 1, limit: 0)).pauses == [])
    }

    @Test func `pauses end by the clock of the database`() throws {
        let place = try PostgresSchemaFixture()
        let ahead: UInt64 = 7_200_000
        let (right, wrong) = (try place.store(), try place.store(clock: { SystemClock.unixMilliseconds() + ahead }))
        defer {
            right.close()
            wrong.close()
        }
        let now = SystemClock.unixMilliseconds()
        _ = try pauses(wrong, .begins(SharedPause(.slowDown, reason: "r", until: now + ahead + 600_000)), at: now + ahead)
        let reported = try #require(try pauses(right, at: now)?.first)
        #expect(reported.until.offset(from: now + 600_000).magnitude < 60_000)
    }

    @Test(arguments: [Backend.memory, .sqlite]) func `a store of one process reports no pauses`(_ backend: Backend) throws {
        let fixture = try backend.store()
        #expect(try pauses(fixture.store, .ends) == nil)
    }
}
