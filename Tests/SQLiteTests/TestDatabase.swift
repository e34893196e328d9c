import Glibc
import SQLite
import TestSupport
import Testing

/// A test's database file, removed when it is released.
final class TestDatabase: Sendable {
    let directory: TemporaryDirectory
    let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("test.db")
    }

    /// Opens the file for writing, with a write-ahead log.
    func open() throws(SQLiteError) -> Connection {
        let connection = try Connection(path: path, mode: .readWriteCreate)
        try connection.useWriteAheadLog()
        return connection
    }

    /// Opens the file and creates an empty table `item`.
    func openWithItems() throws(SQLiteError) -> Connection {
        let connection = try open()
        try connection.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT")
        return connection
    }

    /// The number of this process's descriptors of the database's files.
    func openDescriptors() -> Int {
        ownDescriptors().count { linkTarget("/proc/self/fd/\($0)").utf8.starts(with: path.utf8) }
    }

    /// Overwrites or appends bytes of the file without SQLite.
    func overwrite(at offset: Int, with bytes: [UInt8]) {
        let descriptor = unsafe Glibc.open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        let written = unsafe bytes.withUnsafeBytes { unsafe pwrite(descriptor, $0.baseAddress, $0.count, offset) }
        #expect(written == bytes.count)
        close(descriptor)
    }
}

extension Connection {
    func add(_ name: String) throws(SQLiteError) {
        try Statement(self, "INSERT INTO item (name) VALUES (?1)").run(name)
    }

    /// The items' names in insertion order.
    func names() throws(SQLiteError) -> [String] {
        var names: [String] = []
        try Statement(self, "SELECT name FROM item ORDER BY id").forEachRow { row throws(SQLiteError) in names.append(try row.string(0)) }
        return names
    }
}

/// Returns the error of a call; nil when it succeeds.
func failure(_ body: () throws(SQLiteError) -> Void) -> SQLiteError? {
    do throws(SQLiteError) {
        try body()
        return nil
    } catch {
        return error
    }
}
