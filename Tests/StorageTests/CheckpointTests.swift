import Core
import Glibc
import POSIX
import TestSupport
import Testing
import Time

@testable import SQLite
@testable import Storage

@Suite struct CheckpointTests {
    private let directory: TemporaryDirectory
    private let data = [UInt8](repeating: UInt8(ascii: "x"), count: 40_000)

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// A store whose checkpoints begin early.
    private func open(_ change: (inout StoreSettings) -> Void = { _ in }) throws -> SQLiteStore {
        var settings = StoreSettings()
        settings.pagesBeforeCheckpoint = 100
        change(&settings)
        return try SQLiteStore(path: directory.path("store.db"), settings: settings)
    }

    private func logBytes() throws -> Int {
        Int(try FileSystem.size(of: directory.path("store.db-wal")))
    }

    private func take(_ numbers: Range<Int>, _ store: SQLiteStore) throws {
        for number in numbers { try store.take(Sample(number).with { $0.data = data }) }
    }

    /// Accepts events, and after every `count` of them waits until the checkpointer has caught up, however rarely its thread runs.
    private func take(_ numbers: Range<Int>, waitingAfterEach count: Int, _ store: SQLiteStore) throws {
        for first in stride(from: numbers.lowerBound, to: numbers.upperBound, by: count) {
            try take(first..<min(first + count, numbers.upperBound), store)
            try #require(eventually { self.isLogShort(store) }, "the checkpointer does not move the log's pages")
        }
    }

    /// Whether a checkpoint would not begin yet. The call writes a page, after which the writer takes the checkpointer's next step.
    private func isLogShort(_ store: SQLiteStore) -> Bool {
        let pages = try? store.queue.perform { database throws(SQLiteError) -> Int in
            try database.touch()
            return database.loggedPages
        }
        return pages.map { $0 < 100 } ?? false
    }

    @Test func `keeps the log short during events`() throws {
        let store = try open()
        defer { store.close() }
        try take(0..<800, waitingAfterEach: 100, store)
        // They have 32 MB in total.
        #expect(try logBytes() < 16 << 20)
        #expect(try store.all().count == 800)
    }

    @Test func `a reader of its beginning makes the log grow`() throws {
        let store = try open()
        defer { store.close() }
        try take(0..<10, store)
        let reader = try Connection(path: directory.path("store.db"), mode: .readOnly)
        let rows = try Statement(reader, "SELECT number FROM events")
        #expect(try rows.step())
        try take(10..<200, store)
        #expect(try logBytes() > 190 * data.count)
        rows.reset()
        // Enough for a restart of the log, which does not shorten its file.
        let length = try logBytes()
        try take(200..<800, waitingAfterEach: 100, store)
        #expect(try logBytes() < length + 400 * data.count)
        #expect(try store.all().count == 800)
    }

    @Test func `all data is found again`() throws {
        let first = try open()
        try take(0..<300, first)
        first.close()
        let second = try open()
        defer { second.close() }
        #expect(try second.all().map(\.event.data) == Array(repeating: data, count: 300))
    }

    @Test func `keeps the log when the disk accepts no pages`() throws {
        let first = try open { $0.probeIntervalMilliseconds = 5 }
        try take(0..<50, first)
        try #require(makeUnwritable(directory.path("store.db")))
        var count = 50
        // A checkpoint begins at 100 pages in the log, which ten events fill. The store detects its failure also while it is idle.
        while count < 100, (try? first.take(Sample(count).with { $0.data = data })) != nil { count += 1 }
        #expect(eventually { first.refusal?.kind == .notOpen })
        do throws(StoreError) {
            try first.take(Sample(5000).incoming())
            Issue.record("the event was accepted")
        } catch {
            #expect(error.description.contains("the disk failed to write the database"))
        }
        first.close()
        #expect(try logBytes() > 0)
        let second = try open()
        defer { second.close() }
        #expect(try second.all().count == count)
        #expect(second.refusal == nil)
    }

    @Test(
        arguments: [
            (13, "database or disk is full (SQLite code 13)", "free space on the disk that holds the file"),
            (10, "disk I/O error (SQLite code 10)", "look at the disk"),
        ] as [(Int32, String, String)])
    func `a failed checkpoint has a cause and a remedy`(_ code: Int32, cause: String, remedy: String) {
        let error = StoreError.notKept(SQLiteError(code: code))
        #expect(error.cause.hasPrefix("the disk failed to write the database: \(cause). Nothing is lost:"))
        #expect(error.remedy == remedy)
    }

    @Test func `moves all pages again only while no other process has the file open`() throws {
        try open().close()
        let path = directory.path("store.db")
        let reader = try LockingProcess.start(path, 0x4000_0002..<0x4000_0200, shared: true)
        do throws(StoreError) {
            try SQLiteStore(path: path, movesAgain: true).close()
            Issue.record("the store was opened")
        } catch {
            #expect(error.kind == .unavailable)
            #expect(error.description.contains("process \(reader.identifier) (perl)"))
        }
        reader.send(SIGKILL)
        _ = try reader.waitForEnd()
        try SQLiteStore(path: path, movesAgain: true).close()
    }

    @Test func `accepts no event while a reader keeps the log long`() throws {
        let store = try open {
            $0.maximumLogPages = 1000
            $0.probeIntervalMilliseconds = 5
        }
        defer { store.close() }
        try take(0..<10, store)
        let reader = try Connection(path: directory.path("store.db"), mode: .readOnly)
        let rows = try Statement(reader, "SELECT number FROM events")
        #expect(try rows.step())
        var refusal: StoreError?
        for number in 10..<1000 where refusal == nil {
            do throws(StoreError) {
                _ = try store.take(Sample(number).with { $0.data = data }.incoming())
            } catch {
                refusal = error
            }
        }
        #expect(refusal?.kind == .unavailable)
        #expect(refusal?.description.contains("reads the database for too long") == true)
        #expect(store.refusal == refusal)
        #expect(try logBytes() < 1100 * 4096 + 200 * data.count)
        #expect(try store.take(Sample(1).incoming()) == .duplicate(of: Sample(1).event.id))
        #expect(try store.claim(at: 2000).count > 50, "what it has it still delivers")
        rows.reset()
        #expect(eventually { store.refusal == nil }, "the log is emptied without being asked")
        try take(5000..<5100, waitingAfterEach: 20, store)
    }
}
