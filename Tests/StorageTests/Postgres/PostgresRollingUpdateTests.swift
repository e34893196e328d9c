import Core
import Postgres
import TestSupport
import Testing
import Time

@testable import Storage

/// Replicas of the previous version run beside those of this version. The statements are those of schema 1, as released.
@Suite struct PostgresRollingUpdateTests {
    private let place: PostgresSchemaFixture

    init() throws {
        place = try PostgresSchemaFixture(PostgresServer.shared.get())
        try PostgresSession(place.settings(), replica: []).migrate(to: 1)
    }

    @Test func `deliveries stored by the previous version are delivered`() throws {
        try place.run(
            Query("INSERT INTO apps (app_id) VALUES ('app')"),
            Query("INSERT INTO persons (app, user_id) SELECT number, 'user' FROM apps"),
            Query(
                """
                INSERT INTO events (app, comment_id, ticket_id, device_id, id, kind, user_id, occurred_at, received_at, data)
                SELECT number, '1', '2', 'device', '01900000-0000-7000-8000-000000010000', 'comment.created', 'user', 1000, 1000, '\\x7b7d'
                FROM apps
                """),
            Query(
                """
                INSERT INTO deliveries (event, position, notifier, app, needs_device, state, leads, attempts, due_at, expires_at, reason)
                SELECT events.number, 0, 'log', app, false, 0, true, 0, 1000, 9000000000000, '' FROM events
                """),
            Query("INSERT INTO depth (notifier, pending) VALUES ('log', 1)"))
        let store = try place.store()
        defer { store.close() }
        let claimed = try store.work(
            [], [Claim(notifier: "log", now: SystemClock.unixMilliseconds(), leaseMilliseconds: 1000, limit: 9)], telling: .nobody)
        #expect(try claimed[0].get().deliveries.map(\.event.identity.commentID?.text) == ["1"])
    }

    @Test func `the previous version claims and ends deliveries of this version`() throws {
        let store = try place.store()
        defer { store.close() }
        try store.take(Sample(1))
        try place.run(
            Query("INSERT INTO replicas (id, seen_at) VALUES ('01900000-0000-7000-8000-000000000000', 9000000000000)"),
            Query(
                """
                DO $$ BEGIN ASSERT (SELECT count(*) FROM (
                    SELECT event, position FROM deliveries WHERE state = 0 AND leads AND due_at <= 9000000000000
                    ORDER BY due_at, event, position LIMIT 10 FOR NO KEY UPDATE SKIP LOCKED
                ) AS due JOIN stories USING (event, position)) = 1; END $$
                """),
            Query("UPDATE deliveries SET attempts = 1, due_at = 9000000000000, owner = '01900000-0000-7000-8000-000000000000'"),
            Query(
                """
                INSERT INTO attempts (event, position, number, started_at, outcome, reason)
                SELECT event, position, 1, 1000, '', '' FROM deliveries
                """),
            Query("UPDATE attempts SET ended_at = 2000, outcome = 'delivered', reason = '200'"),
            Query("UPDATE deliveries SET state = 1, ended_at = 2000, reason = '200', owner = NULL"))
        let page = try store.page(of: DeliveryFilter(), after: nil, limit: 10)
        #expect(page.deliveries.map(\.state) == [.delivered])
    }

    /// The previous version counts for no app, and adds up the counts of others.
    @Test func `counts of the previous version are assigned to apps`() throws {
        var settings = StoreSettings()
        settings.heartbeatMilliseconds = 50
        let store = try place.store(settings)
        defer { store.close() }
        for number in 1...2 { try store.take(Sample(number)) }
        try store.take(Sample(3).with { $0.app = "other" })
        try place.run(
            Query("DELETE FROM depth"), Query("INSERT INTO depth (notifier, pending) VALUES ('log', 5), ('log', -1), ('gone', 1)"))
        let counted = Query(
            """
            DO $$ BEGIN ASSERT (SELECT array_agg(ARRAY[notifier, app_id, pending::text] ORDER BY app_id)
                FROM depth LEFT JOIN apps ON number = app) = '{{log,app,2},{log,other,1}}'; END $$
            """)
        #expect(eventually { (try? place.run(counted)) != nil })
        #expect(try store.pending().map(\.count) == [3])
    }

    /// Another session blocks the count. Nothing else waits for it, and the store does not report a lost database.
    @Test func `a count that fails does not stop the store`() throws {
        try PostgresSession(place.settings(), replica: []).migrate()
        try place.run(Query("INSERT INTO depth (notifier, pending) VALUES ('log', 1)"))
        var settings = StoreSettings()
        (settings.heartbeatMilliseconds, settings.depthCountMilliseconds) = (20, 50)
        func seenAt() throws -> Int64 { try #require(try place.run(Query("SELECT seen_at FROM replicas"))).one().int64(0) }
        let other = try Connection(try place.settings(), by: .after(milliseconds: WaitLimit.milliseconds))
        let uncounted = Query("SELECT FROM depth WHERE app IS NULL FOR UPDATE")
        let result = try other.transaction(by: .after(milliseconds: WaitLimit.milliseconds)) { () throws(PostgresError) in
            _ = try other.run(uncounted, by: .after(milliseconds: WaitLimit.milliseconds))
            return Result {
                let store = try place.store(settings)
                defer { store.close() }
                for number in 1...3 {
                    let last = try seenAt()
                    #expect(eventually { (try? seenAt()).map { $0 > last } ?? false })
                    try store.take(Sample(number))
                }
                #expect(store.refusal == nil)
                #expect(try store.all().count == 3)
            }
        }
        try result.get()
    }

    @Test func `different forms of one token are unified`() throws {
        try PostgresSession(place.settings(), replica: []).migrate(to: 11)
        try place.run(Query("INSERT INTO apps (app_id) VALUES ('app'), ('other')"))
        for row in FormerTokens.rows {
            try place.run(
                Query(
                    """
                    INSERT INTO devices (app, user_id, device_id, type, token, digest, registered_at, seen_at, from_app)
                    SELECT number, $2, 'd1', 'ios', $3, $4, 1, $5, false FROM apps WHERE app_id = $1
                    """, .text(row.app), .text(row.user), .text(row.token), .bytea(try row.digest()), .int8(row.seenAt)))
        }
        let store = try place.store()
        defer { store.close() }
        #expect(try store.registered() == FormerTokens.joined)
        #expect(try store.registered(app: "other") == FormerTokens.joinedInOther)
        #expect(try FormerTokens.check(store) == FormerTokens.taken)
    }

    /// A session's prepared statement fails once the columns that it reads have changed.
    @Test func `prepared statements continue to work`() throws {
        let session = try PostgresSession(place.settings(), replica: [])
        for version in 2...PostgresSchema.latest {
            _ = try session.run([Query("SELECT * FROM stories")])
            try PostgresSession(place.settings(), replica: []).migrate(to: version)
        }
        _ = try session.run([Query("SELECT * FROM stories")])
    }

    /// Locks of several tables that one transaction takes could deadlock with those of running replicas.
    @Test func `each version is migrated in a transaction of its own`() throws {
        try PostgresSession(place.settings(), replica: []).migrate()
        let versions = try #require(try place.run(Query("SELECT count(*), count(DISTINCT xmin::text) FROM deskgate_versions"))).one()
        #expect(try versions.int64(0) == Int64(PostgresSchema.latest))
        #expect(try versions.int64(1) == Int64(PostgresSchema.latest))
    }

    @Test func `the index of turns may be created in advance`() throws {
        try place.run(
            Query(
                """
                CREATE INDEX IF NOT EXISTS deliveries_turns ON deliveries (notifier, app, due_at, event, position)
                WHERE state < 1 AND leads IS NOT FALSE
                """))
        let store = try place.store()
        defer { store.close() }
        try store.take(Sample(1))
        #expect(try store.claim(at: 2000).count == 1)
    }

    /// Deskgate does not search all devices for earlier revocations, but comments skip the devices that they cover. It does search for a
    /// revocation that a replica of the previous version adds.
    @Test func `revocations of the previous version are in force`() throws {
        try PostgresSession(place.settings(), replica: []).migrate(to: 14)
        func insert(_ version: Int64, user: String?, keyID: Int64?) throws {
            try place.run(
                Query(
                    """
                    INSERT INTO revocations (version, id, app, user_id, key_id, issued_before, reason, author, created_at)
                    SELECT $1, $2, number, $3, $4, 5, '', 'before', 1 FROM apps
                    """, .int8(version), .uuid(UUIDv7(milliseconds: 1, number: Int(version)).bytes), .text(user), .int8(keyID)))
        }
        try place.run(Query("INSERT INTO apps (app_id) VALUES ('app')"), Query("INSERT INTO revocation_versions VALUES (1, 2, 0)"))
        for user in ["early", "late"] {
            let digest = try PushToken("T-\(user)").digest
            try place.run(
                Query(
                    """
                    INSERT INTO devices (app, user_id, device_id, type, token, digest, registered_at, seen_at, from_app)
                    SELECT number, $1, 'd1', 'ios', $2, $3, 1, 1, true FROM apps
                    """, .text(user), .text("T-\(user)"), .bytea(digest)))
        }
        try insert(1, user: "early", keyID: nil)
        try insert(2, user: nil, keyID: 9)
        let store = try place.store()
        defer { store.close() }
        let now = SystemClock.unixMilliseconds()
        #expect(try store.signOutRevokedDevices(now: now, telling: .registry) == nil)
        let sample = Sample(1).with { ($0.user, $0.requiresDevice, $0.device, $0.notifier) = ("early", true, "", "push") }
        try store.take(sample)
        #expect(try store.all().map(\.state) == [.noTarget])
        try insert(3, user: "late", keyID: nil)
        #expect(try store.signOutRevokedDevices(now: now, telling: .registry) == 1)
        #expect(try store.signOutRevokedDevices(now: now, telling: .registry) == nil)
        #expect(try store.registered() == ["early d1 T-early"])
    }

    /// The migration counts earlier dead deliveries; triggers count later ones.
    @Test func `deliveries that the previous version ends are counted`() throws {
        try PostgresSession(place.settings(), replica: []).migrate(to: 16)
        func fill(_ numbers: ClosedRange<Int64>, reason: String) throws {
            try place.run(
                Query(
                    """
                    INSERT INTO events (app, device_id, id, kind, user_id, occurred_at, received_at, data)
                    SELECT apps.number, '', gen_random_uuid(), 'comment.created', 'user', 1000, 1000 + event, '\\x7b7d'
                    FROM apps, generate_series($1::bigint, $2::bigint) AS event ORDER BY event
                    """, .int8(numbers.lowerBound), .int8(numbers.upperBound)),
                Query(
                    """
                    INSERT INTO deliveries (event, position, notifier, app, needs_device, state, leads, attempts, due_at, expires_at,
                        ended_at, reason)
                    SELECT number, 0, 'log', app, false, 2, false, 1, 1000, 9000, 2000, $3 FROM events
                    WHERE received_at BETWEEN 1000 + $1::bigint AND 1000 + $2::bigint
                    """, .int8(numbers.lowerBound), .int8(numbers.upperBound), .text(reason)))
        }
        try place.run(Query("INSERT INTO apps (app_id) VALUES ('app')"))
        try fill(1...5, reason: "expired")
        let store = try place.store()
        defer { store.close() }
        func counts() throws -> [String] { try store.deadInOrder().map { "\($0.count) \($0.reason)" } }
        #expect(try counts() == ["5 expired"])
        try fill(6...8, reason: "status_404")
        #expect(try counts() == ["5 expired", "3 status_404"])
        try place.run(Query("UPDATE deliveries SET state = 0, ended_at = NULL WHERE reason = 'status_404'"))
        #expect(try counts() == ["5 expired"])
        try place.run(Query("UPDATE deliveries SET state = 2, ended_at = 3000, reason = 'purged' WHERE state = 0"))
        #expect(try counts() == ["5 expired", "3 purged"])
        try place.run(Query("DELETE FROM deliveries WHERE reason = 'expired'"))
        #expect(try counts() == ["3 purged"])
        let span = try #require(try store.dead().deliveries.first)
        #expect(span.newestReceivedAt.offset(from: span.oldestReceivedAt) == 2)
    }

    /// Any other change would break replicas of the previous version. A migration may change rows only to values that these could have
    /// written.
    @Test func `migrations only add`() {
        for statement in PostgresSchema.steps.dropFirst().joined() {
            let words = "\(statement)".split(whereSeparator: \.isWhitespace).prefix(2).joined(separator: " ")
            #expect(
                [
                    "CREATE TABLE", "CREATE INDEX", "CREATE UNIQUE", "CREATE VIEW", "CREATE FUNCTION", "CREATE TRIGGER", "ALTER TABLE",
                    "WITH forms", "UPDATE devices", "INSERT INTO",
                ].contains(words), "\(words)")
            #expect(!"\(statement)".contains("DROP"))
        }
    }
}
