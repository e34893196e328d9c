import Core
import Glibc
import POSIX
import SQLite
import TestSupport
import Testing
import Time

@testable import Storage

@Suite struct SQLiteFileTests {
    private func open(_ path: String, _ change: (inout StoreSettings) -> Void = { _ in }) throws(StoreError) -> SQLiteStore {
        var settings = StoreSettings()
        change(&settings)
        return try SQLiteStore(path: path, settings: settings)
    }

    private func error(_ path: String) -> StoreError? {
        do throws(StoreError) {
            try open(path).close()
            return nil
        } catch {
            return error
        }
    }

    private func move(_ path: String, _ other: String) throws {
        let result = unsafe rename(path, other)
        try #require(result == 0)
    }

    @Test func `stores every state`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("store.db")
        var store = try open(path)
        for number in 0..<5 { try store.take(Sample(number)) }
        _ = try store.take(Sample(9).incoming(to: []))
        let claimed = try store.claim(at: 2000, limit: 3)
        try store.report(claimed[0], next: .delivered, reason: "ok", at: 2001)
        try store.report(claimed[1], next: .dead, reason: "no", at: 2001)
        try store.report(claimed[2], next: .retry(at: 9000), reason: "later", at: 2001)
        let before = try store.all().map { try store.story(of: $0.id) }
        let pending = try store.pending()
        store.close()
        store = try open(path)
        defer { store.close() }
        #expect(try store.all().map { try store.story(of: $0.id) } == before)
        #expect(try store.pending() == pending)
        for number in [0, 1, 2, 3, 4, 9] {
            #expect(try store.take(Sample(number).incoming(to: [])) == .duplicate(of: Sample(number).event.id))
        }
        #expect(try store.claim(at: 2000).map(\.event.identity.commentID) == [3, 4])
    }

    @Test func `erases the data of an event with its last delivery`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("store.db")
        let store = try open(path)
        for (number, notifiers) in [["log"], ["log", "http"], []].enumerated() {
            _ = try store.take(Sample(number).with { $0.data = Array("{\"body\":\"MARKER\"}".utf8) }.incoming(to: notifiers))
        }
        for delivery in try store.claim(at: 1001) { try store.report(delivery, next: .delivered, at: 1002) }
        #expect(try store.purge(now: 1003, deliveredBefore: 1003, deadBefore: 0, limit: 9) == 2)
        store.close()
        let connection = try Connection(path: path, mode: .readOnly)
        var data: [String] = []
        try Statement(connection, "SELECT data FROM events ORDER BY number").forEachRow { row throws(SQLiteError) in
            data.append(String(decoding: try row.bytes(0), as: UTF8.self))
        }
        #expect(data == ["{\"body\":\"MARKER\"}"], "the second one still goes somewhere")
    }

    @Test(arguments: [false, true]) func `accepts no event that the next start would not find`(_ isReplaced: Bool) throws {
        let directory = try TemporaryDirectory()
        let (path, elsewhere) = (directory.path("store.db"), directory.path("elsewhere.db"))
        let store = try open(path) { $0.probeIntervalMilliseconds = 5 }
        defer { store.close() }
        try store.take(Sample(1))
        try move(path, elsewhere)
        if isReplaced { try directory.write("store.db", "") }
        let failure = #expect(throws: StoreError.self) { try store.take(Sample(2)) }
        #expect(failure?.kind == .unavailable)
        #expect(failure?.description.contains("moved, removed or replaced") == true)
        #expect(throws: StoreError.self, "nor is a duplicate answered") { try store.take(Sample(1)) }
        #expect(store.refusal?.kind.rawValue == "unavailable")
        try move(elsewhere, path)
        #expect(eventually { store.refusal == nil })
        try store.take(Sample(2))
    }

    @Test func `leaves one file that only its owner can read`() throws {
        let directory = try TemporaryDirectory()
        let store = try open(directory.path("store.db"))
        try store.take(Sample(1))
        store.close()
        #expect(directory.contents() == ["store.db"])
        #expect(try File.read(directory.path("store.db"), limit: 1 << 20).isReadableByEveryone == false)
    }

    @Test func `refuses a second store`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("store.db")
        let store = try open(path)
        let refusal = try #require(error(path))
        #expect(refusal.kind == .unavailable)
        #expect(refusal.description.contains("used by another process"))
        let link = unsafe link(path, directory.path("other.db"))
        try #require(link == 0)
        #expect(error(directory.path("other.db"))?.description.contains("used by another process") == true, "it is the same file")
        try store.take(Sample(1))
        store.close()
        #expect(error(path) == nil)
    }

    @Test func `refuses a newer schema`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("store.db")
        try open(path).close()
        let connection = try Connection(path: path, mode: .readWriteCreate)
        try connection.setUserVersion(99)
        try connection.close()
        let refusal = try #require(error(path))
        #expect(refusal.kind == .corrupt)
        #expect(refusal.description.contains("newer version (schema 99, this one supports \(Migrations.latest))"))
    }

    @Test func `refuses a file that is no database`() throws {
        let directory = try TemporaryDirectory()
        try File.create(directory.path("store.db"), mode: 0o600, Array(repeating: UInt8(ascii: "x"), count: 8192))
        #expect(error(directory.path("store.db"))?.kind == .corrupt)
    }

    /// A closed file with some events, with damage in most of its pages.
    private func damaged(_ directory: TemporaryDirectory, marksRun: Bool) throws -> String {
        let path = directory.path("whole.db")
        let store = try open(path)
        for number in 0..<200 { try store.take(Sample(number)) }
        store.close()
        if marksRun {
            let connection = try Connection(path: path, mode: .readWriteCreate)
            try connection.execute("UPDATE runs SET closed = 0")
            try connection.close()
        }
        var bytes = try File.read(path, limit: 1 << 24).bytes
        for index in stride(from: bytes.count / 2, to: bytes.count, by: 3) { bytes[index] = 0xA5 }
        try File.create(directory.path("store.db"), mode: 0o600, bytes)
        return directory.path("store.db")
    }

    @Test func `finds damage after a run that was not closed`() throws {
        let directory = try TemporaryDirectory()
        let refusal = try #require(error(try damaged(directory, marksRun: true)))
        #expect(refusal.kind == .corrupt)
        #expect(!refusal.description.contains("-wal") && refusal.description.contains("restore"), "\(refusal)")
    }

    @Test func `accepts nothing after damage was found`() throws {
        let directory = try TemporaryDirectory()
        let path = try damaged(directory, marksRun: false)
        // SQLite may report the damage at the start, or when rows are changed.
        guard let store = try? open(path) else { return #expect(error(path)?.kind == .corrupt) }
        defer { store.close() }
        var kinds: Set<StoreError.Kind> = []
        for number in 0..<300 {
            do throws(StoreError) {
                _ = try store.take(Sample(number).incoming())
                for delivery in try store.claim(at: 2000) { try store.report(delivery, next: .delivered, at: 2001) }
            } catch {
                kinds.insert(error.kind)
            }
        }
        #expect(kinds == [.corrupt])
        #expect(store.refusal?.kind.rawValue == "corrupt")
        #expect(throws: StoreError.self) { try store.take(Sample(1000).incoming(to: [])) }
    }

    @Test func `reports a missing directory`() throws {
        let directory = try TemporaryDirectory()
        let refusal = try #require(error(directory.path("missing/store.db")))
        #expect(refusal.kind == .unavailable)
        #expect(refusal.description.contains("directory must exist"))
    }

    @Test func `waits for another process's lock and then reports it`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("store.db")
        let store = try open(path) {
            $0.busyTimeoutMilliseconds = 1
            $0.probeIntervalMilliseconds = 5
        }
        defer { store.close() }
        let tool = try Connection(path: path, mode: .readWriteCreate)
        try tool.transaction { () throws(SQLiteError) in
            do throws(StoreError) {
                _ = try store.take(Sample(1).incoming())
                Issue.record("it was accepted in spite of the lock")
            } catch {
                #expect(error.kind == .unavailable)
            }
            #expect(store.refusal?.kind.rawValue == "unavailable")
        }
        #expect(eventually { store.refusal == nil }, "it finds out by itself")
        try store.take(Sample(1))
        #expect(try store.all().count == 1)
        try tool.close()
    }
}
