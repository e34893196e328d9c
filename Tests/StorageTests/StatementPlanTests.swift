import SQLite
import TestSupport
import Testing

@testable import Storage

@Suite struct StatementPlanTests {
    /// Tables with one row, or one for each app, key, continuing condition, or reason of a notifier's dead deliveries.
    private static let small = [
        "SCAN apps", "SCAN key_uses", "SCAN conditions", "SCAN dead_counts", "SCAN runs", "SCAN CONSTANT ROW", "SCAN clock",
    ]
    /// Sorts the deliveries of one comment, which are few.
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
                // Without the index it would scan all devices of an app.
                #expect(!step.hasSuffix("devices USING PRIMARY KEY (app=?)"), "\(plan)")
            }
        }
    }

    @Test func `statements of the writer use indexes`() throws {
        check(try plans { try WriterStatements($0) }, count: 30)
    }

    /// A claim reads only the rows that it takes, however many others wait or are not due.
    @Test func `claims use indexes`() throws {
        let due = try plans { try WriterStatements($0) }.filter { $0.sql.contains("due_at <= ?2") && $0.sql.contains("stories") }
        #expect(due.count == 1)
        let search = "SEARCH deliveries USING INDEX deliveries_due (notifier=? AND app=? AND state=? AND leads=? AND due_at<?)"
        #expect(due.first?.steps.first == search)
    }

    @Test func `statements for devices use indexes`() throws {
        check(try plans { try DeviceStatements($0) }, count: 20)
    }

    @Test func `statements for bot calls use indexes`() throws {
        check(try plans { try BotCallStatements($0) }, count: 7)
    }

    @Test func `reads use indexes`() throws {
        check(try plans { try ReadingDatabase($0, until: ReadingEnd { false }) }, count: 10)
    }

    /// The list of one app's revocations reads no others.
    @Test func `the revocations of an app use an index`() throws {
        let listed = try plans { try RevocationQueries($0) }.filter { $0.sql.contains("app_id = ?3") && !$0.sql.contains("user_id = ?4") }
        #expect(listed.count == 1)
        #expect(listed.first?.steps.contains("SEARCH revocations USING INDEX revocations_of_app (app=? AND id<?)") == true, "\(listed)")
    }

    /// A search for a name in all apps reads the index of each app, or at most one step.
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
