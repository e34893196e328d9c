import Core
import Glibc
import SQLite
import Storage
import TestSupport
import Testing
import Time

/// Files of an open store that are removed or replaced. No accepted event is lost, and the store accepts none that would be.
@Suite struct LostFileTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("store.db")
    }

    private func open(_ path: String? = nil, _ change: (inout StoreSettings) -> Void = { _ in }) throws -> SQLiteStore {
        var settings = StoreSettings()
        settings.probeIntervalMilliseconds = 5
        change(&settings)
        return try SQLiteStore(path: path ?? self.path, settings: settings)
    }

    /// A store with five comments and a registered device.
    private func filled() throws -> SQLiteStore {
        let store = try open()
        for number in 0..<5 { try store.take(Sample(number)) }
        try store.put("token")
        return store
    }

    private func remove(_ path: String) throws {
        let result = unsafe unlink(path)
        try #require(result == 0)
    }

    private func expectNothingIsAnswered(_ store: SQLiteStore) throws {
        #expect(throws: StoreError.self) { try store.take(Sample(9)) }
        #expect(throws: StoreError.self, "a duplicate") { try store.take(Sample(1)) }
        #expect(throws: StoreError.self, "unchanged") { try store.put("token") }
        #expect(throws: StoreError.self, "a sign-out") { try store.put(nil) }
        #expect(throws: StoreError.self, "a claim") { try store.claim(at: 2000) }
    }

    private func expectEverything(at path: String, _ comment: Testing.Comment? = nil) throws {
        let store = try open(path)
        defer { store.close() }
        #expect(try store.comments().count == 5, comment)
        #expect(try store.registered() == ["user d1 token"], comment)
    }

    /// Copies the database file alone, as after a loss of power.
    private func copyAsIs(_ name: String, to copy: String) throws {
        try directory.write(copy, try FileBytes.read(directory.path(name)))
    }

    @Test(arguments: ["-wal", "-shm"]) func `is reported and nothing is lost`(_ suffix: String) throws {
        let store = try filled()
        try remove(path + suffix)
        try expectNothingIsAnswered(store)
        #expect(store.refusal?.kind == .notOpen, "whoever has opened it opens it again")
        #expect(store.refusal?.description.contains("\(path)\(suffix) was removed") == true)
        try copyAsIs("store.db", to: "copy.db")
        try expectEverything(at: directory.path("copy.db"), "everything was moved to the database at once")
        store.close()
        try expectEverything(at: path)
    }

    @Test func `a stop saves the data that a reader has kept in the log`() throws {
        let store = try open { $0.busyTimeoutMilliseconds = 0 }
        try store.take(Sample(0))
        let reader = try Connection(path: path, mode: .readOnly)
        let rows = try Statement(reader, "SELECT number FROM events")
        #expect(try rows.step())
        for number in 1..<5 { try store.take(Sample(number)) }
        try store.put("token")
        try remove(path + "-wal")
        #expect(eventually { store.refusal?.description.contains("\(path)-wal") == true })
        rows.reset()
        #expect(store.close() == nil)
        try reader.close()
        try expectEverything(at: path)
    }

    @Test func `is detected without a call`() throws {
        let store = try filled()
        try remove(path + "-wal")
        #expect(eventually { store.refusal?.kind == .notOpen })
        store.close()
        try expectEverything(at: path)
    }

    @Test func `a log in its place is not changed`() throws {
        let store = try filled()
        // In one step: the store checks its files at any time, and must not find the log missing.
        try directory.write("other", "somebody's")
        let result = unsafe rename(directory.path("other"), path + "-wal")
        try #require(result == 0)
        try expectNothingIsAnswered(store)
        #expect(store.refusal?.kind == .unavailable)
        #expect(store.refusal?.description.contains("\(path)-wal was replaced") == true)
        store.close()
        #expect(try directory.read("store.db-wal") == "somebody's")
        try remove(path + "-wal")
        try expectEverything(at: path)
    }

    @Test func `a removed database is saved under another name`() throws {
        let store = try filled()
        try remove(path)
        try expectNothingIsAnswered(store)
        #expect(store.refusal?.kind == .unavailable)
        let copies = directory.contents().filter { $0.hasPrefix("store.db.rescued-") }
        #expect(copies.count == 1)
        let copy = try #require(copies.first)
        #expect(store.refusal?.description.contains("deskgate store restore \(directory.path(copy))") == true)
        #expect(StoreFile.rescued(from: path)?.path == directory.path(copy))
        store.close()
        try expectEverything(at: directory.path(copy))
    }

    @Test(.enabled(if: SmallDisk.isPermitted, "only root may mount a small disk"))
    func `a stop reports data that could not be saved`() throws {
        let disk = try SmallDisk()
        var settings = StoreSettings()
        settings.minimumFreeBytes = 0
        let store = try SQLiteStore(path: disk.path("store.db"), settings: settings)
        for number in 0..<5 { try store.take(Sample(number)) }
        try? disk.fill("ballast", bytes: 4 << 20)
        try remove(disk.path("store.db"))
        #expect(throws: StoreError.self) { try store.take(Sample(9)) }
        #expect(store.close()?.description.contains("its data could not be saved yet") == true)
        #expect(disk.contents().filter { $0.contains("rescued") } == [])
    }

    @Test(arguments: [
        (false, "put it back before you restart: a start would not find it"),
        (true, "put it back, or restart to continue with the file that is there"),
    ])
    func `the problem of a moved database names the effect of a restart`(_ isReplaced: Bool, _ remedy: String) throws {
        let store = try filled()
        defer { store.close() }
        if isReplaced {
            try directory.write("other", "somebody's")
            try #require(unsafe link(path, directory.path("elsewhere.db")) == 0)
            try #require(unsafe rename(directory.path("other"), path) == 0)
        } else {
            try #require(unsafe rename(path, directory.path("elsewhere.db")) == 0)
        }
        #expect(eventually { store.refusal != nil })
        let expected = "the database \(path) was moved, removed or replaced while it is in use, and nothing is accepted; \(remedy)"
        #expect(store.refusal?.description == expected)
    }

    @Test func `works again when the files are restored`() throws {
        let store = try filled()
        let result = unsafe rename(path, directory.path("elsewhere.db"))
        try #require(result == 0)
        try expectNothingIsAnswered(store)
        try copyAsIs("elsewhere.db", to: "copy.db")
        try expectEverything(at: directory.path("copy.db"), "everything was moved to the database at once")
        let back = unsafe rename(directory.path("elsewhere.db"), path)
        try #require(back == 0)
        #expect(eventually { store.refusal == nil })
        try store.take(Sample(9))
        store.close()
        let again = try open()
        defer { again.close() }
        #expect(try again.comments().count == 6)
    }
}
