import Glibc
import SQLite
import TestSupport
import Testing
import Threading

@Suite struct OpeningTests {
    private let database: TestDatabase

    init() throws {
        database = try TestDatabase()
    }

    private func opening(_ path: String, _ mode: OpenMode) -> SQLiteError? {
        failure { () throws(SQLiteError) in _ = try Connection(path: path, mode: mode) }
    }

    @Test func `creates a file that only its owner can read`() throws {
        let connection = try database.openWithItems()
        for name in ["test.db", "test.db-wal", "test.db-shm"] {
            var status = stat()
            #expect(unsafe stat(database.directory.path(name), &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600)
        }
        try connection.close()
    }

    @Test func `a connection that keeps the log creates no database`() throws {
        let path = database.directory.path("missing.db")
        #expect(opening(path, .readWriteKeepingLog)?.isCannotOpen == true)
        #expect(database.directory.contents().isEmpty)
    }

    @Test func `closes all descriptors`() throws {
        let connection = try database.openWithItems()
        let reader = try Connection(path: database.path, mode: .readOnly)
        let unfinished = try Statement(reader, "VALUES (1), (2)")
        #expect(try unfinished.step())
        #expect(database.openDescriptors() > 0)
        try connection.close()
        try reader.close()
        #expect(database.openDescriptors() == 0)
    }

    @Test func `closes when it is released`() throws {
        try { _ = try database.openWithItems().names() }()
        #expect(database.openDescriptors() == 0)
    }

    @Test func `reports a missing file`() {
        let error = opening(database.path, .readOnly)
        #expect(error?.isCannotOpen == true)
        #expect(error?.path == database.path)
        #expect(error?.systemErrno == ENOENT)
        #expect(unsafe access(database.path, F_OK) != 0)
    }

    @Test func `reports a missing directory`() throws {
        let path = database.directory.path("missing/test.db")
        let error = try #require(opening(path, .readWriteCreate))
        #expect(error.isCannotOpen)
        #expect(
            error.description.hasPrefix("cannot open \(path): unable to open database file (SQLite code 14, No such file or directory); "))
        #expect(
            error.description.hasSuffix("the directory must exist, and this user must be allowed to enter it and to create files in it"))
    }

    @Test func `reports a directory`() throws {
        let error = try #require(opening(database.directory.path, .readWriteCreate))
        #expect(error.remedy == "the path names a directory: name a file in it")
    }

    @Test func `reports another kind of file`() throws {
        database.overwrite(at: 0, with: Array(repeating: UInt8(ascii: "x"), count: 5000))
        let error = try #require(opening(database.path, .readWriteCreate))
        #expect(error.isCorrupt)
        #expect(error.description.contains("file is not a database"))
        #expect(error.remedy == "the path names a file of another kind: name another path, or move the file away")
        #expect(database.openDescriptors() == 0)
    }

    @Test func `writes nothing in read-only mode`() throws {
        try database.openWithItems().close()
        let reader = try Connection(path: database.path, mode: .readOnly)
        let error = failure { () throws(SQLiteError) in try reader.add("a") }
        #expect(error?.isReadOnly == true)
        #expect(error?.path == nil)
        #expect(try reader.names() == [])
    }

    /// The file permissions are those of another user, set for one thread, because modes do not restrict the superuser.
    @Test(arguments: [0o555, 0o700] as [mode_t])
    func `reports a directory without write permission`(mode: mode_t) throws {
        chmod(mode)
        #expect(openingAsNobody()?.isCannotOpen == true)
    }

    @Test func `rejects a read-only file`() throws {
        try database.openWithItems().close()
        chmod(0o755)
        #expect(unsafe Glibc.chmod(database.path, 0o444) == 0)
        let error = try #require(openingAsNobody())
        #expect(error.isReadOnly)
        #expect(error.path == database.path)
        #expect(error.remedy?.contains("-wal and -shm") == true)
    }

    @Test func `rejects an invalid path`() {
        #expect(opening("", .readWriteCreate)?.isCannotOpen == true)
        #expect(opening(database.path + "\0b", .readWriteCreate)?.isCannotOpen == true)
        #expect(unsafe access(database.path, F_OK) != 0)
    }

    @Test(arguments: [":memory:", "file:x?mode=memory", "file::memory:"])
    func `treats every name as a file`(name: String) {
        #expect(opening(name, .readOnly)?.isCannotOpen == true)
    }

    private func chmod(_ mode: mode_t) {
        let directory = database.directory.path("")
        #expect(unsafe Glibc.chmod(directory, mode) == 0)
    }

    private func openingAsNobody() -> SQLiteError? {
        let result = Monitor(SQLiteError?.none)
        let path = database.path
        let thread = startThread {
            takeFileRightsOfNobody()
            let error = failure { () throws(SQLiteError) in _ = try Connection(path: path, mode: .readWriteCreate) }
            result.withLock { $0 = error }
        }
        thread.join()
        return result.withLock { $0 }
    }
}

/// Gives this thread alone the file permissions of user 65534 with setfsuid(2), which Swift's Glibc lacks. For other users than root it has
/// no effect, and file modes restrict the test's own user anyway.
private func takeFileRightsOfNobody() {
    typealias SetFileUser = @convention(c) (uid_t) -> Int32
    let address = unsafe dlsym(nil, "setfsuid")
    _ = unsafe unsafeBitCast(address, to: SetFileUser?.self)?(65534)
}
