import Core
import Postgres
import TestSupport
import Testing

@testable import Storage

/// A copy that is killed at any point continues there.
@Suite struct StoreCopyCutTests {
    private static let cut = StoreError(.unavailable, "cut")
    private let fixture: CopyFixture

    init() throws {
        fixture = try CopyFixture()
    }

    /// Repeats a copy that ends after each of its transactions.
    /// - Parameter between: done after each.
    private func repeating(
        _ copy: ((StoreCopyProgress) throws(StoreError) -> Void) throws(StoreError) -> StoreCopyReport, between: () throws -> Void
    ) throws -> (report: StoreCopyReport, cuts: Int) {
        var cuts = 0
        while true {
            do throws(StoreError) {
                return (try copy { _ throws(StoreError) in throw Self.cut }, cuts)
            } catch {
                guard error == Self.cut else { throw error }
            }
            cuts += 1
            try between()
        }
    }

    @Test func `continues after each step`() throws {
        try fixture.fill(calls: 60)
        let (there, cuts) = try repeating({ observe throws(StoreError) in
            try Self.unwrapped { try fixture.copy() }.toPostgres(observe: observe)
        }) {
            let refusal = #expect(throws: StoreError.self) { try fixture.shared() }
            #expect(refusal?.description.contains("unfinished copy") == true)
        }
        #expect(there.isContinued)
        #expect(cuts > 30)
        let (back, more) = try repeating({ observe throws(StoreError) in
            try Self.unwrapped { try fixture.copy(fixture.back) }.toSQLite(observe: observe)
        }) {
            #expect(!fixture.directory.contents().contains("back.db"))
        }
        #expect(fixture.directory.contents().sorted() == ["back.db", "store.db"], "it leaves nothing else")
        #expect(back.isContinued)
        #expect(more > 30)
        #expect(back.tables == there.tables)
        #expect(try fixture.difference(fixture.path, fixture.back) == 0)
        #expect(try fixture.difference(fixture.back, fixture.path) == 0)
    }

    private static func unwrapped<Value>(_ body: () throws -> Value) throws(StoreError) -> Value {
        do {
            return try body()
        } catch {
            throw StoreError(.unavailable, "\(error)")
        }
    }

    /// The response of a complete copy may be lost.
    @Test func `is complete once`() throws {
        try fixture.fill(calls: 20)
        let first = try fixture.copy().toPostgres()
        let again = try fixture.copy().toPostgres()
        #expect(again == StoreCopyReport(tables: first.tables, isContinued: true))
        let back = try fixture.copy(fixture.back).toSQLite()
        #expect(try fixture.copy(fixture.back).toSQLite() == StoreCopyReport(tables: back.tables, isContinued: true))
        // Once a service has used the target, it is a normal store.
        try fixture.shared().close()
        #expect(throws: StoreError.copyTargetNotEmpty) { try fixture.copy().toPostgres() }
        #expect(throws: StoreError.copyTargetExists(fixture.back)) { try fixture.copy(fixture.back).toSQLite() }
    }

    /// A draft without any rows is no obstacle.
    @Test func `a draft without tables is created again`() throws {
        try fixture.fill(calls: 20)
        _ = try fixture.copy().toPostgres()
        try fixture.directory.write("back.db.copying", "", mode: 0o600)
        let back = try fixture.copy(fixture.back).toSQLite()
        #expect(!back.isContinued)
        #expect(try fixture.difference(fixture.path, fixture.back) == 0)
    }

    /// Begins a copy into PostgreSQL and ends it after two transactions.
    private func begin(_ copy: StoreCopy) throws {
        try begin { observe throws(StoreError) in try copy.toPostgres(observe: observe) }
    }

    private func begin(
        _ copy: ((StoreCopyProgress) throws(StoreError) -> Void) throws(StoreError) -> StoreCopyReport
    ) throws {
        var count = 0
        #expect(throws: Self.cut) {
            try copy { _ throws(StoreError) in
                count += 1
                if count == 2 { throw Self.cut }
            }
        }
    }

    @Test func `another source is refused`() throws {
        try fixture.fill(calls: 30)
        try begin(try fixture.copy())
        let other = try fixture.file(fixture.back)
        try other.take(Sample(1))
        other.close()
        #expect(throws: StoreError.copyOfOther) { try fixture.copy(fixture.back).toPostgres() }
        var anew = try fixture.copy(fixture.back)
        anew.beginsAnew = true
        #expect(try anew.toPostgres().rows == 3, "an app, an event and a delivery")
        let shared = try fixture.shared()
        defer { shared.close() }
        #expect(try shared.all().map(\.id) == [Sample(1).delivery().id])
    }

    /// The copied rows may be out of date.
    @Test func `a source that was used in the meantime is refused`() throws {
        try fixture.fill(calls: 30)
        try begin(try fixture.copy())
        try fixture.file(fixture.path).close()
        #expect(throws: StoreError.copyOfOther) { try fixture.copy().toPostgres() }
        var anew = try fixture.copy()
        anew.beginsAnew = true
        #expect(try anew.toPostgres().isContinued == false)

        let back = try fixture.copy(fixture.back)
        try begin { observe throws(StoreError) in try back.toSQLite(observe: observe) }
        try fixture.shared().close()
        #expect(throws: StoreError.copyOfOther("\(fixture.back).copying")) { try back.toSQLite() }
        anew = back
        anew.beginsAnew = true
        #expect(try anew.toSQLite().isContinued == false)
        #expect(try fixture.difference(fixture.path, fixture.back) == 0)
    }

    @Test func `a store in use and a target with data are refused`() throws {
        try fixture.fill(calls: 20)
        let file = try fixture.file(fixture.path)
        let inUse = #expect(throws: StoreError.self) { try fixture.copy().toPostgres() }
        #expect(inUse?.description.contains("is used by") == true)
        file.close()
        #expect(throws: StoreError.self) { try fixture.copy(fixture.back).toPostgres() }

        let shared = try fixture.shared()
        for copy in [try fixture.copy().toPostgres, try fixture.copy(fixture.back).toSQLite] as [() throws -> StoreCopyReport] {
            let running = #expect(throws: StoreError.self) { try copy() }
            #expect(running?.description.contains("1 running service uses this database") == true)
        }
        try shared.take(Sample(1))
        shared.close()
        #expect(throws: StoreError.copyTargetNotEmpty) { try fixture.copy().toPostgres() }
        #expect(throws: StoreError.copyTargetExists(fixture.path)) { try fixture.copy().toSQLite() }
    }

    @Test func `no service starts during a copy`() throws {
        try fixture.fill(calls: 5)
        var refusals: Set<String> = []
        func start(_: StoreCopyProgress) {
            do {
                try fixture.shared().close()
                Issue.record("a service has started")
            } catch {
                refusals.insert("\(error)".contains("unfinished copy") ? "unfinished" : "\(error)".contains("reads") ? "read" : "\(error)")
            }
        }
        _ = try fixture.copy().toPostgres { progress throws(StoreError) in start(progress) }
        #expect(refusals == ["unfinished"])
        refusals = []
        _ = try fixture.copy(fixture.back).toSQLite { progress throws(StoreError) in start(progress) }
        #expect(refusals == ["read"])
        try fixture.shared().close()
    }

    /// Another program writes into the target.
    @Test func `a copy with different rows is not complete`() throws {
        let file = try fixture.file(fixture.path)
        for number in 0..<9 { try file.take(Sample(number)) }
        file.close()
        func disturb(_ query: Query) throws(StoreError) { try Self.unwrapped { _ = try fixture.place.run(query) } }
        #expect(throws: StoreError.copyOverlaps("events")) {
            try fixture.copy().toPostgres { progress throws(StoreError) in
                guard progress.table == "events" else { return }
                try disturb(
                    Query(
                        """
                        INSERT INTO events (number, app, device_id, id, kind, user_id, occurred_at, received_at, data)
                        OVERRIDING SYSTEM VALUE VALUES (4, 1, '', gen_random_uuid(), '', '', 0, 0, '')
                        """))
            }
        }
        var anew = try fixture.copy()
        anew.beginsAnew = true
        #expect(throws: StoreError.copyDiffers("windows", source: 0, target: 1)) {
            try anew.toPostgres { progress throws(StoreError) in
                if progress.table == "apps" { try disturb(Query("INSERT INTO window_calls VALUES (1, 1, 0)")) }
            }
        }
        #expect(throws: StoreError.self) { try fixture.shared() }
        #expect(try anew.toPostgres().rows == 19, "an app, nine events and their deliveries")
    }
}
