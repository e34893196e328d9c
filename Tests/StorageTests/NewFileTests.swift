import Core
import Glibc
import POSIX
import SQLite
import TestSupport
import Testing

@testable import Storage

@Suite struct NewFileTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("store.db")
    }

    private func refusal(_ path: String) -> StoreError? {
        do throws(StoreError) {
            try SQLiteStore(path: path).close()
            return nil
        } catch {
            return error
        }
    }

    @Test func `a device file at the database path is reported`() {
        #expect(StoreError.empty("/dev/null").description.hasSuffix("; it is no file; name one in store.path"))
    }

    @Test func `creates a file that does not exist`() throws {
        #expect(refusal(path) == nil)
        #expect(directory.contents() == ["store.db"])
        #expect(try Connection(path: path, mode: .readOnly).userVersion() == Migrations.latest)
    }

    @Test func `refuses a file without tables`() throws {
        try directory.write("store.db", "")
        #expect(refusal(path)?.kind == .corrupt)
        let connection = try Connection(path: path, mode: .readWriteCreate)
        try connection.useWriteAheadLog()
        try connection.close()
        #expect(refusal(path)?.description.hasPrefix("\(path) has no tables") == true)
        #expect(throws: StoreError.self) { try StoreFile.check(path) }
    }

    @Test func `refuses the file of a running store without its log`() throws {
        let store = try SQLiteStore(path: path)
        defer { store.close() }
        try store.take(Sample(1))
        try directory.write("copy.db", try FileBytes.read(path))
        let copy = directory.path("copy.db")
        #expect(refusal(copy)?.kind == .corrupt)
        #expect(refusal(copy)?.description.contains("its log (-wal) was removed") == true)
        #expect(throws: StoreError.self) { try StoreFile.check(copy) }
        #expect(throws: StoreError.self) { try StoreFile.backUp(copy, to: directory.path("backup.db")) }
        #expect(refusal(copy) != nil, "looking at it has changed nothing")
        try StoreFile.check(path)
    }

    @Test func `refuses a log without its database`() throws {
        try directory.write("store.db-wal", "something")
        #expect(refusal(path)?.kind == .corrupt)
        #expect(directory.contents() == ["store.db-wal"])
    }

    @Test func `recovers the log of a killed run`() throws {
        let store = try SQLiteStore(path: path)
        defer { store.close() }
        try store.take(Sample(1))
        for name in ["store.db", "store.db-wal"] { try directory.write("cut/\(name)", try FileBytes.read(directory.path(name))) }
        let again = try SQLiteStore(path: directory.path("cut/store.db"))
        defer { again.close() }
        #expect(try again.all().count == 1)
    }

    @Test func `reports why it cannot create the file`() throws {
        let error = try #require(refusal(directory.path("missing/store.db")))
        #expect(error.kind == .unavailable)
        #expect(error.description.hasPrefix("cannot create \(directory.path("missing/store.db")): No such file or directory; "))
    }
}
