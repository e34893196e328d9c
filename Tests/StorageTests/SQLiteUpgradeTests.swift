import Core
import SQLite
import TestSupport
import Testing
import Time

@testable import Storage

/// A file written by the previous version.
@Suite struct SQLiteUpgradeTests {
    /// Versions 12 to 14 only added columns, indexes, a table and triggers.
    private static func undoVersions12To14(_ connection: Connection) throws {
        try connection.execute(
            """
            DROP TRIGGER dead_inserted;
            DROP TRIGGER dead_ended;
            DROP TRIGGER dead_revived;
            DROP TRIGGER dead_deleted;
            DROP INDEX deliveries_dead_groups;
            DROP TABLE dead_counts;
            DROP INDEX revocations_of_app;
            DROP INDEX revocations_unswept;
            ALTER TABLE devices DROP COLUMN issued_at;
            ALTER TABLE devices DROP COLUMN key_id;
            ALTER TABLE devices DROP COLUMN salt;
            ALTER TABLE revocations DROP COLUMN devices_removed;
            ALTER TABLE revocations DROP COLUMN swept;
            """)
    }

    /// Version 9 only added the table of bots' calls, so a file without it is one of version 8.
    @Test func `a file of an earlier version keeps its data`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("store.db")
        var store = try SQLiteStore(path: path)
        try store.put("T1")
        for number in 0..<3 { try store.take(Sample(number)) }
        let claimed = try #require(try store.claim(at: 2000, limit: 1).first)
        try store.report(claimed, next: .delivered, reason: "ok", at: 2001)
        for number in 3..<6 { try store.take(Sample(number).with { $0.notifier = "http" }) }
        for delivery in try store.claim("http", at: 2000) { try store.report(delivery, next: .dead, reason: "status_404", at: 2001) }
        let (deliveries, devices, dead) = (try store.all(), try store.registered(), try store.dead())
        #expect(dead.deliveries.map(\.count) == [3])
        store.close()
        try #require(Migrations.latest == 14)
        let connection = try Connection(path: path, mode: .readWriteCreate)
        try connection.execute("DROP TABLE bot_calls")
        try Self.undoVersions12To14(connection)
        try connection.setUserVersion(8)
        try connection.close()
        store = try SQLiteStore(path: path)
        #expect(try store.all() == deliveries)
        #expect(try store.registered() == devices)
        #expect(try store.dead() == dead)
        let call = BotCall.sample(1, key: 1)
        #expect(try store.begin(call) == .new)
        #expect(try store.begin(.sample(2, key: 1)) == .repeated(call))
        store.close()
        #expect(try Connection(path: path, mode: .readOnly).userVersion() == 14)
        store = try SQLiteStore(path: path)
        defer { store.close() }
        #expect(try store.botCall(call.id) == call)
        #expect(try store.claim(at: 2001).count == 2, "the others wait still")
    }

    @Test func `different forms of one token are unified`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("store.db")
        try SQLiteStore(path: path).close()
        let connection = try Connection(path: path, mode: .readWriteCreate)
        try connection.execute("INSERT INTO apps (app_id) VALUES ('app'), ('other')")
        let insert = try Statement(
            connection,
            """
            INSERT INTO devices (app, user_id, device_id, type, token, digest, registered_at, seen_at, from_app)
            SELECT number, ?2, 'd1', 'ios', ?3, ?4, 1, ?5, 0 FROM apps WHERE app_id = ?1
            """)
        for row in FormerTokens.rows { try insert.run(row.app, row.user, row.token, try row.digest(), row.seenAt) }
        try Self.undoVersions12To14(connection)
        try connection.setUserVersion(9)
        try connection.close()
        let store = try SQLiteStore(path: path)
        defer { store.close() }
        #expect(try store.registered() == FormerTokens.joined)
        #expect(try store.registered(app: "other") == FormerTokens.joinedInOther)
        #expect(try FormerTokens.check(store) == FormerTokens.taken)
    }
}
