import SQLite
import TestSupport
import Testing

@testable import Storage

@Suite struct StatementPlanTests {
    /// A row for each app, key, condition that lasts, or reason of a notifier's dead deliveries, or one row.
    private static let small = [
        "SCAN apps", "SCAN key_uses", "SCAN conditions", "SCAN dead_counts", "SCAN runs", "SCAN CONSTANT ROW", "SCAN clock",
    ]
    /// Sorts the deliveries of one comment, of which there are few.
    private static let sorting = "WHERE app_id = ?1 AND comment_id = ?2"

    private func plans(_ prepare: (Connection) throws -> Any) throws -> [(sql: String, steps: [String])] {
        let directory = try TemporaryDirectory()
        let connection = try Connection(path: directory.path("store.db"), mode: .readWriteCreate)
        try Migrations.run(on: connection)
        let statements = try prepare(connection)
        return try withExtendedLifetime(statements) { try connection.plans() }
    }

    private func check(_ plans: [(sql: String, steps: [String])], count: Int) {
        #expect(plans.count >= count)
        for plan in plans {
            for step in plan.steps {
                #expect(!step.hasPrefix("SCAN") || Self.small.contains { step.hasPrefix($0) }, "\(plan)")
                #expect(!step.contains("TEMP B-TREE") || plan.sql.contains(Self.sorting), "\(plan)")
                // That would be all devices of an app.
                #expect(!step.hasSuffix("devices USING PRIMARY KEY (app=?)"), "\(plan)")
            }
        }
    }

    @Test func `statements of the writer use indexes`() throws {
        check(try plans { try WriterStatements($0) }, count: 30)
    }

    /// However much waits for another app or is not due, a claim reads only what it takes.
    @Test func `claims use indexes`() throws {
        let due = try plans { try WriterStatements($0) }.filter { $0.sql.contains("due_at <= ?2") && $0.sql.contains("stories") }
        #expect(due.count == 1)
        let search = "SEARCH deliveries USING INDEX deliveries_due (notifier=? AND app=? AND state=? AND leads=? AND due_at<?)"
        #expect(due.first?.steps.first == search)
    }

    @Test func `of the writer for devices`() throws {
        check(try plans { try DeviceStatements($0) }, count: 20)
    }

    @Test func `of the writer for calls of bots`() throws {
        check(try plans { try BotCallStatements($0) }, count: 7)
    }

    @Test func `reads use indexes`() throws {
        check(try plans { try ReadingDatabase($0, until: ReadingEnd { false }) }, count: 10)
    }

    /// However many revocations other apps have, the list of one reads only its own.
    @Test func `of the revocations of an app`() throws {
        let listed = try plans { try RevocationQueries($0) }.filter { $0.sql.contains("app_id = ?3") && !$0.sql.contains("user_id = ?4") }
        #expect(listed.count == 1)
        #expect(listed.first?.steps.contains("SEARCH revocations USING INDEX revocations_of_app (app=? AND id<?)") == true, "\(listed)")
    }

    /// A search for a name in all apps looks into the index of each app, or at no more than a step.
    @Test func `searches for names use indexes`() throws {
        let found = try plans { try NameQueries($0) }
        check(found, count: 3)
        let steps = Set(found.flatMap(\.steps))
        for search in [
            "SEARCH devices USING PRIMARY KEY (app=? AND user_id=?)",
            "SEARCH revocations USING INDEX revocations_of_user (app=? AND user_id=?)",
            "SEARCH events USING COVERING INDEX events_identity (app=? AND comment_id=?)",
            "SEARCH devices USING PRIMARY KEY ((app,user_id,device_id)>(?,?,?))",
            "SEARCH events USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)",
        ] { #expect(steps.contains(search), "\(search)") }
    }

    @Test func `a scan of a table is detected`() throws {
        let found = try plans { try Statement($0, "SELECT * FROM devices WHERE type = 'ios' ORDER BY type, seen_at") }
        #expect(found.flatMap(\.steps).contains { $0.hasPrefix("SCAN devices") })
    }
}
