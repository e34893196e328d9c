import Core
import Glibc
import POSIX
import SQLite
import TestSupport
import Testing
import Time

@testable import Storage

/// A run that was not marked as closed keeps its write-ahead log on any disk failure, so that the next start finds all data.
@Suite struct KeptLogTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("store.db")
    }

    private func open(_ path: String, _ change: (inout StoreSettings) -> Void = { _ in }) throws(StoreError) -> SQLiteStore {
        var settings = StoreSettings()
        settings.minimumFreeBytes = 0
        settings.probeIntervalMilliseconds = 5
        change(&settings)
        return try SQLiteStore(path: path, settings: settings)
    }

    private func refusal(_ path: String) -> StoreError? {
        do throws(StoreError) {
            try open(path).close()
            return nil
        } catch {
            return error
        }
    }

    private func count(_ path: String) throws -> Int {
        let store = try open(path)
        defer { store.close() }
        return try store.all().count
    }

    private func take(_ numbers: Range<Int>, _ store: SQLiteStore) throws {
        for number in numbers { try store.take(Sample(number).with { $0.data = Array(repeating: 1, count: 4000) }) }
    }

    /// Delivers everything, and waits until the texts are erased from the log.
    private func rest(_ store: SQLiteStore, _ path: String? = nil) throws {
        for delivery in try store.claim(at: 2000) { try store.report(delivery, next: .delivered, at: 2001) }
        let log = (path ?? self.path) + "-wal"
        try #require(eventually { (try? FileSystem.size(of: log)).map { $0 < 10_000 } == true })
    }

    /// Copies the files that a killed process would leave.
    private func cut(_ path: String, _ write: (String, [UInt8]) throws -> Void) throws {
        for suffix in ["", "-wal", "-shm"] { try write("store.db\(suffix)", try FileBytes.read(path + suffix)) }
    }

    /// Creates the database and log of a killed process in a separate directory.
    /// - Parameter first: a change of the database before the run that writes the log.
    private func leftBehind(_ count: Int, first: (String) throws -> Void = { _ in }) throws -> String {
        try open(path).close()
        try first(path)
        let store = try open(path)
        defer { store.close() }
        try take(0..<count, store)
        try cut(path) { try directory.write("left/\($0)", $1) }
        return directory.path("left/store.db")
    }

    /// The bytes of a database and its log.
    private func bytes(_ path: String) throws -> [[UInt8]] {
        try ["", "-wal"].map { try File.read(path + $0, limit: 1 << 28).bytes }
    }

    private func fill(_ disk: SmallDisk) {
        try? disk.fill("ballast", bytes: 4 << 20)
    }

    @Test(.enabled(if: SmallDisk.isPermitted, "only root may mount a small disk"))
    func `a stop on a full disk reports why the store could not be closed and loses nothing`() throws {
        let disk = try SmallDisk()
        let store = try open(disk.path("store.db"))
        try take(0..<20, store)
        fill(disk)
        let failure = try #require(store.close())
        #expect(failure.kind == .diskFull)
        #expect(failure.description.hasPrefix("\(disk.path("store.db")) could not be marked as closed: "))
        #expect(failure.description.contains("free space on the disk"))
        #expect(try FileSystem.size(of: disk.path("store.db-wal")) > 0)
        disk.remove("ballast")
        #expect(try count(disk.path("store.db")) == 20)
    }

    @Test(.enabled(if: SmallDisk.isPermitted, "only root may mount a small disk"))
    func `a stop on a full disk closes a store whose log is empty`() throws {
        let disk = try SmallDisk()
        let store = try open(disk.path("store.db")) { $0.erasesLogAfterMilliseconds = 0 }
        try take(0..<20, store)
        try rest(store, disk.path("store.db"))
        fill(disk)
        #expect(store.close() == nil)
        disk.remove("ballast")
        #expect(try count(disk.path("store.db")) == 20)
    }

    /// - Parameters:
    ///   - room: the free space at the start, in KiB.
    ///   - isAtRest: whether the database contains all data, so that SQLite could remove the log.
    @Test(
        .enabled(if: SmallDisk.isPermitted, "only root may mount a small disk"),
        arguments: [(0, true), (0, false), (8, false), (24, false), (32, false), (40, false), (64, false)])
    func `a start on a full disk keeps the log of a killed run`(room: Int, isAtRest: Bool) throws {
        let disk = try SmallDisk()
        let store = try open(path) { $0.erasesLogAfterMilliseconds = isAtRest ? 0 : 1_000_000 }
        defer { store.close() }
        try take(0..<20, store)
        if isAtRest { try rest(store) }
        try cut(path) { try File.create(disk.path($0), mode: 0o600, $1) }
        try disk.fill("room", bytes: room * 1024)
        fill(disk)
        disk.remove("room")
        let failure = try #require(refusal(disk.path("store.db")))
        #expect(!failure.description.contains("copied or moved"))
        disk.remove("ballast")
        #expect(try count(disk.path("store.db")) == 20)
    }

    @Test func `a start that an older version refuses changes neither database nor log`() throws {
        let left = try leftBehind(20)
        func setVersion(_ version: Int32) throws {
            let connection = try Connection(path: left, mode: .readWriteKeepingLog)
            try connection.setUserVersion(version)
            try connection.close()
        }
        try setVersion(99)
        let before = try bytes(left)
        #expect(refusal(left)?.description.contains("newer version") == true)
        #expect(try bytes(left) == before)
        try setVersion(Migrations.latest)
        #expect(try count(left) == 20)
    }

    @Test func `a start that finds damage changes neither database nor log`() throws {
        let left = try leftBehind(20) { path in
            let store = try open(path)
            try take(1000..<1200, store)
            store.close()
            var bytes = try File.read(path, limit: 1 << 28).bytes
            for index in stride(from: bytes.count / 2, to: bytes.count * 3 / 4, by: 3) { bytes[index] = 0xA5 }
            try directory.write("store.db", bytes)
        }
        let before = try bytes(left)
        #expect(refusal(left)?.kind == .corrupt)
        #expect(try bytes(left) == before)
    }

    @Test func `the log of an empty database is kept`() throws {
        let left = try leftBehind(3)
        try directory.write("left/store.db", "")
        let log = try File.read(left + "-wal", limit: 1 << 28).bytes
        #expect(refusal(left)?.description.contains("has no tables") == true)
        #expect(throws: StoreError.self) { try StoreFile.check(left) }
        #expect(try File.read(left + "-wal", limit: 1 << 28).bytes == log)
    }

    @Test func `a run that was killed after its log was emptied continues`() throws {
        let store = try open(path) { $0.erasesLogAfterMilliseconds = 0 }
        defer { store.close() }
        try take(0..<20, store)
        try rest(store)
        #expect(try FileSystem.size(of: path + "-wal") > 0, "an empty one would prove nothing")
        try cut(path) { try directory.write("left/\($0)", $1) }
        #expect(try count(directory.path("left/store.db")) == 20)
    }

    /// - Parameter logs: the files beside the copy: none, or the empty log that SQLite creates for a reader of the copy.
    @Test(arguments: [[], ["-wal"]]) func `a copy without its log is refused each time`(logs: [String]) throws {
        let store = try open(path) { $0.erasesLogAfterMilliseconds = 0 }
        defer { store.close() }
        try take(0..<5, store)
        try rest(store)
        try take(5..<9, store)
        try directory.write("copy/store.db", try FileBytes.read(path))
        for log in logs { try directory.write("copy/store.db\(log)", "") }
        let copy = directory.path("copy/store.db")
        for _ in 0..<2 {
            #expect(refusal(copy)?.description.contains("was copied or moved") == true)
            #expect(throws: StoreError.self) { try StoreFile.check(copy) }
        }
        #expect(directory.contents().filter { $0.hasPrefix("copy/") } == ["copy/store.db"])
    }

    @Test func `a copy without its log is refused although a reader has had it open since before the start`() throws {
        try open(path).close()
        let reader = try Connection(path: path, mode: .readOnly)
        let rows = try Statement(reader, "SELECT closed FROM runs UNION ALL SELECT 1")
        #expect(try rows.step())
        let store = try open(path) { $0.erasesLogAfterMilliseconds = 0 }
        defer { store.close() }
        try take(0..<3, store)
        rows.reset()
        #expect(
            eventually {
                guard let bytes = try? FileBytes.read(path), (try? directory.write("copy.db", bytes)) != nil else { return false }
                return refusal(directory.path("copy.db"))?.description.contains("was copied or moved") == true
            })
    }

    @Test func `a run whose log cannot be moved is not marked as closed`() throws {
        try open(path).close()
        let lock = try DatabaseFile.lock(path)
        defer { withExtendedLifetime(lock) {} }
        var settings = StoreSettings()
        settings.busyTimeoutMilliseconds = 0
        let database = try DatabaseFile.open(path, lock: lock, movesAgain: false, settings: settings, random: SystemRandomNumberGenerator())
            .database
        defer { database.close() }
        let reader = try Connection(path: path, mode: .readOnly)
        let rows = try Statement(reader, "SELECT closed FROM runs UNION ALL SELECT 1")
        #expect(try rows.step())
        try database.transaction { () throws(SQLiteError) in try database.touch() }
        #expect(throws: SQLiteError.self) { try database.settle() }
        rows.reset()
        #expect(try !DatabaseFile.wasClosed(reader))
    }

    @Test func `a reader does not prevent the store from being closed`() throws {
        let store = try open(path)
        try take(0..<3, store)
        let reader = try Connection(path: path, mode: .readOnly)
        let rows = try Statement(reader, "SELECT number FROM events")
        #expect(try rows.step())
        try take(3..<6, store)
        #expect(store.close() == nil)
        #expect(try rows.step(), "it was not disturbed")
        rows.reset()
        try reader.close()
        #expect(try count(path) == 6)
        #expect(directory.contents() == ["store.db"])
    }

    /// A command reads a closed store; meanwhile, a service starts and is killed.
    @Test func `a reader keeps the log of a service that was killed meanwhile`() throws {
        try open(path).close()
        let left = directory.path("left/store.db")
        try directory.write("left/store.db", try File.read(path, limit: 1 << 28).bytes)
        try StoreFile.read(left) { connection throws(StoreError) in
            // Simulates another process that did it and was then killed.
            _ = try? Statement(connection, "UPDATE runs SET closed = 0").run()
        }
        #expect(refusal(left) == nil)
        #expect(try count(left) == 0)
    }
}
