import Core
import Postgres
import SQLite
import TestSupport
import Testing
import Time

@testable import Storage

/// Copies of a SQLite store into PostgreSQL and back: no row is lost, duplicated or changed.
@Suite struct StoreCopyTests {
    private let fixture: CopyFixture

    init() throws {
        fixture = try CopyFixture()
    }

    @Test(arguments: 0..<6) func `the target has the same data`(seed: Int) throws {
        try fixture.fill(seed: seed)
        let report = try fixture.copy().toPostgres()
        #expect(!report.isContinued && report.tables.allSatisfy { $0.rows > 0 }, "\(report)")
        let (file, shared) = (try fixture.file(fixture.path), try fixture.shared())
        defer {
            file.close()
            shared.close()
        }
        let (before, after) = (try KnownState(file), try KnownState(shared))
        #expect(before == after)
        // Both also continue in the same way: order, attempts, numbers of new rows.
        for round in 0..<40 {
            #expect(try goOn(shared, round) == goOn(file, round))
        }
        #expect(try KnownState(file) == KnownState(shared))
    }

    /// Claims and reports due deliveries, and stores new events.
    /// - Returns: the claimed deliveries.
    private func goOn(_ store: any Store, _ round: Int) throws -> [Delivery] {
        let now = UnixMilliseconds(6000 + round)
        let claimed = try store.claim(["log", "http", "registry", "leased"][round % 4], at: now, limit: 7)
        for (index, delivery) in claimed.enumerated() {
            try store.report(delivery, next: [.delivered, .dead, .retry(at: now + 5)][index % 3], reason: "r\(index)", at: now)
        }
        try store.take(
            Sample(800_000 + round).with {
                ($0.app, $0.user) = (round % 3 == 0 ? "app-\(round)" : RandomCalls.apps[0], "u")
                ($0.keepsOrder, $0.received) = (true, now)
            })
        return claimed
    }

    @Test(arguments: 6..<10) func `a copy back has the same rows`(seed: Int) throws {
        try fixture.fill(seed: seed)
        let there = try fixture.copy().toPostgres()
        let back = try fixture.copy(fixture.back).toSQLite()
        #expect(there.tables == back.tables)
        #expect(fixture.directory.contents().sorted() == ["back.db", "store.db"], "it leaves nothing else")
        #expect(try fixture.difference(fixture.path, fixture.back) == 0)
        #expect(try fixture.difference(fixture.back, fixture.path) == 0)
        let (file, other) = (try fixture.file(fixture.path), try fixture.file(fixture.back))
        defer {
            file.close()
            other.close()
        }
        #expect(try KnownState(file) == KnownState(other))
    }

    /// Otherwise the first heartbeats of a service would read a row for each.
    @Test func `dead deliveries are summed up`() throws {
        let store = try fixture.file(fixture.path)
        try store.takeAll((0..<20).map { Sample($0).with { $0.expires = 1001 } })
        while try !store.giveUpExpired(now: 2000, limit: 100).isEmpty {}
        store.close()
        _ = try fixture.copy().toPostgres()
        let counts = try fixture.place.run(Query("SELECT array_agg(count)::text FROM dead_counts"))?.first?.string(0)
        #expect(counts == "{20}")
    }

    @Test func `running attempts end as interrupted`() throws {
        try fixture.fill(calls: 0)
        _ = try fixture.copy().toPostgres()
        let shared = try fixture.shared()
        let claimed = try shared.claim("leased", at: 5001)
        #expect(claimed.map(\.id) == [Sample(700_002).delivery().id], "it is due at once, and the next one of its ticket follows")
        let story = try #require(try shared.story(of: Sample(700_002).delivery().id))
        #expect(story.attempts.map(\.outcome) == ["interrupted", ""])
        shared.close()
        _ = try fixture.copy(fixture.back).toSQLite()
        let file = try fixture.file(fixture.back)
        defer { file.close() }
        #expect(try file.claim("leased", at: 5001).map(\.id) == [Sample(700_002).delivery().id])
        #expect(try file.story(of: Sample(700_002).delivery().id)?.attempts.map(\.outcome) == ["interrupted", "interrupted", ""])
    }

    @Test func `limits and duplicates are copied`() throws {
        try fixture.fill(calls: 0)
        let report = try fixture.copy().toPostgres()
        #expect(report.tables.allSatisfy { $0.rows > 0 }, "\(report)")
        let shared = try fixture.shared()
        defer { shared.close() }
        for scope in LimitRule.Scope.allCases {
            let outcome = try shared.payload(.of("T-more", app: "counted", user: "\(scope)", at: 4000, .fiveMinutes(scope)))
            guard case .limited = outcome else {
                Issue.record("\(scope): \(outcome)")
                continue
            }
        }
        #expect(try shared.take(Sample(700_004).incoming(to: [])) == .duplicate(of: Sample(700_004).event.id))
        #expect(try shared.take(Sample(700_002).incoming()) == .duplicate(of: Sample(700_002).event.id))
        #expect(try shared.take(Sample(700_009).incoming()) == .accepted)
    }

    /// The database's clock is two hours ahead of this machine's or behind it.
    @Test(arguments: [-7_200_000, 7_200_000] as [Int64]) func `times are converted to the clock of the target`(ahead: Int64) throws {
        let store = try fixture.file(fixture.path)
        let now: UnixMilliseconds = 1_000_000_000_000
        try store.take(
            Sample(1).with {
                $0.received = now
                $0.expires = now + 600_000
            })
        let never = Sample(2).with {
            $0.received = now
            $0.expires = .max
        }
        try store.take(never)
        _ = try store.payload(.of("T", at: now, LimitRule(per: .user, max: 2, windowMilliseconds: 300_000)))
        store.close()
        _ = try fixture.copy(clock: ahead).toPostgres()
        let row = try #require(
            try fixture.place.run(
                Query("SELECT due_at, expires_at, calls, called_at FROM deliveries, persons WHERE called_at IS NOT NULL ORDER BY event"))?
                .first)
        let then = now.advanced(by: ahead)
        // The measured difference of the clocks has an error of half of the response time.
        for (column, moment) in [(0, then), (1, then + 600_000), (3, then)] {
            #expect(try row.time(column).offset(from: moment).magnitude < 60_000, "\(column)")
        }
        let call = try row.bytes(2).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        #expect(try row.bytes(2).count == 8)
        #expect(UnixMilliseconds(rawValue: call).offset(from: then).magnitude < 60_000)
        let expiries = try fixture.place.run(Query("SELECT max(expires_at) FROM deliveries"))?.first?.int64(0)
        #expect(expiries == Int64.max, "never is never")
        _ = try fixture.copy(fixture.back, clock: ahead).toSQLite()
        let back = try fixture.file(fixture.back)
        defer { back.close() }
        let delivery = try #require(try back.current(Sample(1).delivery()))
        #expect(delivery.dueAt.offset(from: now).magnitude < 60_000)
        #expect(try back.current(never.delivery())?.event.expiresAt.stored == .max)
    }

    /// Texts may be long, and a whole step is held in memory.
    @Test func `long rows make short steps`() throws {
        let store = try fixture.file(fixture.path)
        for number in 0..<9 { try store.take(Sample(number).with { $0.data = [UInt8](repeating: UInt8(number), count: 1_500_000) }) }
        store.close()
        var steps = 0
        func observe(_ progress: StoreCopyProgress) { steps += progress.table == "events" ? 1 : 0 }
        for (path, isBack) in [(fixture.path, false), (fixture.back, true)] {
            steps = 0
            var copy = try fixture.copy(path)
            copy.rowsPerStep = 5000
            _ =
                isBack
                ? try copy.toSQLite { progress throws(StoreError) in observe(progress) }
                : try copy.toPostgres { progress throws(StoreError) in observe(progress) }
            #expect(steps == 3, "three of them are more than 4 MB")
        }
        #expect(try fixture.difference(fixture.path, fixture.back) == 0)
    }

    /// The role of a service need not own the tables.
    @Test func `a role without ownership may copy`() throws {
        try fixture.fill(calls: 5)
        try fixture.place.run(
            Query(
                """
                DO $$ BEGIN
                    IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'copier') THEN CREATE ROLE copier LOGIN; END IF;
                    EXECUTE 'GRANT USAGE ON SCHEMA ' || current_schema() || ' TO copier';
                END $$
                """))
        _ = try PostgresDatabase.migrate(try fixture.place.settings(), grantingTo: nil)
        let url = fixture.place.url().replacing("postgres@", with: "copier@")
        var copy = StoreCopy(path: fixture.path, address: try ConnectionSettings(url.utf8.span))
        #expect(throws: StoreError.self) { try copy.toPostgres() }
        _ = try PostgresDatabase.migrate(try fixture.place.settings(), grantingTo: "copier")
        let there = try copy.toPostgres()
        copy = StoreCopy(path: fixture.back, address: copy.address)
        #expect(try copy.toSQLite().tables == there.tables)
        #expect(try fixture.difference(fixture.path, fixture.back) == 0)
    }

    /// A table that a version adds must be copied or excluded explicitly.
    @Test func `every table is accounted for`() throws {
        try fixture.file(fixture.path).close()
        let connection = try Connection(path: fixture.path, mode: .readOnly)
        var files: Set<String> = []
        try Statement(connection, "SELECT name FROM sqlite_master WHERE type = 'table'").forEachRow { row throws(SQLiteError) in
            files.insert(try row.string(0))
        }
        try fixture.shared().close()
        let rows = try fixture.place.run(Query("SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema()"))
        let tables = Set(try (rows ?? nil)?.map { try $0.string(0) } ?? [])
        let copied = Set(CopiedTable.all.map(\.name))
        #expect(files == copied.subtracting(["persons"]).union(CopiedTable.onlyInSQLite))
        #expect(tables == copied.subtracting(["windows"]).union(["window_calls"]).union(CopiedTable.onlyInPostgres))
    }

    /// A column that a version adds must be copied or excluded explicitly.
    @Test func `every column is accounted for`() throws {
        try fixture.file(fixture.path).close()
        let connection = try Connection(path: fixture.path, mode: .readOnly)
        try fixture.shared().close()
        for table in CopiedTable.all {
            // The calls of persons, which have a separate table, and the processes with leases or conditions.
            let onlyInSQLite = table.name == "devices" ? 1 : 0
            let onlyInPostgres = ["deliveries", "conditions"].contains(table.name) ? 1 : 0
            // The number of an event's deliveries is counted again.
            let counted = table.name == "events" ? 1 : 0
            if table.name != "persons" {
                try Statement(connection, "SELECT count(*) FROM pragma_table_info(?1)").forEachRow(table.name) { row throws(SQLiteError) in
                    let count = Int(try row.int64(0))
                    #expect(count == table.columns.count + onlyInSQLite, "\(table.name)")
                }
            }
            let name = table.name == "windows" ? "window_calls" : table.name
            let count = try fixture.place.run(
                Query(
                    "SELECT count(*) FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = $1",
                    .text(name)))?.first?.int64(0)
            #expect(count == Int64(table.columns.count + onlyInPostgres - counted), "\(table.name)")
        }
    }
}
