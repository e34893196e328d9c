internal import CSQLite
internal import Glibc

/// The steps from a path to an open, checked database handle.
enum DatabaseOpening {
    private static let busyMilliseconds: Int32 = 1000

    /// Opens the file, and checks that it is a database that allows the mode.
    static func open(_ path: String, mode: OpenMode) throws(SQLiteError) -> OpaquePointer {
        let name = try plainName(path)
        if mode == .readWriteCreate { createForOwner(name) }
        let database = unsafe try openHandle(name, mode: mode)
        // Set before the file is read, so that a handle that fails after finding a log does not remove it.
        if mode == .readWriteKeepingLog { unsafe set(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true, on: database) }
        do throws(SQLiteError) {
            unsafe try prove(database, mode: mode)
        } catch {
            unsafe sqlite3_close_v2(database)
            throw error.opening(path)
        }
        unsafe harden(database)
        return unsafe database
    }

    /// The path in a form that SQLite cannot misinterpret: Debian's SQLite treats `file:…` as a URI, and every version treats `:memory:` as
    /// a database without a file.
    static func plainName(_ path: String) throws(SQLiteError) -> String {
        guard !path.isEmpty, !path.utf8.contains(0) else { throw SQLiteError(code: SQLITE_CANTOPEN, path: path) }
        return path.utf8.first == UInt8(ascii: "/") ? path : "./\(path)"
    }

    /// Creates a missing file with mode 0600; SQLite alone would use the umask.
    ///
    /// An existing file is not even opened, because closing it would release the locks of other connections in this process
    /// (<https://www.sqlite.org/howtocorrupt.html> section 2.2). Errors are ignored, because SQLite opens the same file next and reports
    /// them.
    private static func createForOwner(_ name: String) {
        let descriptor = unsafe Glibc.open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
    }

    private static func openHandle(_ name: String, mode: OpenMode) throws(SQLiteError) -> OpaquePointer {
        precondition(sqlite3_threadsafe() != 0, "SQLite was built without thread safety")
        let access =
            switch mode {
            case .readWriteCreate: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            case .readWriteKeepingLog: SQLITE_OPEN_READWRITE
            case .readOnly: SQLITE_OPEN_READONLY
            }
        var handle: OpaquePointer?
        let code = unsafe sqlite3_open_v2(name, &handle, access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard let database = unsafe handle else { throw SQLiteError(code: code, path: name) }
        guard code == SQLITE_OK else {
            defer { unsafe sqlite3_close_v2(database) }
            throw unsafe SQLiteError(lastOf: database, path: name)
        }
        return unsafe database
    }

    /// Reads the file's header, because opening does not, and rejects a read-only file for a writing mode, because SQLite accepts it
    /// silently.
    private static func prove(_ database: OpaquePointer, mode: OpenMode) throws(SQLiteError) {
        guard unsafe mode == .readOnly || sqlite3_db_readonly(database, "main") == 0 else {
            throw SQLiteError(code: SQLITE_READONLY)
        }
        // Another connection may be recovering the log, or closing the file as its last one, which takes a moment.
        unsafe sqlite3_busy_timeout(database, busyMilliseconds)
        defer { unsafe sqlite3_busy_timeout(database, 0) }
        guard unsafe sqlite3_exec(database, "PRAGMA schema_version", nil, nil, nil) == SQLITE_OK else {
            throw unsafe SQLiteError(lastOf: database)
        }
    }

    /// Turns off features that only old schemas or attackers need (<https://www.sqlite.org/security.html>), and turns foreign keys on.
    private static func harden(_ database: OpaquePointer) {
        let switches = [
            (SQLITE_DBCONFIG_DEFENSIVE, true), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, false), (SQLITE_DBCONFIG_DQS_DML, false),
            (SQLITE_DBCONFIG_DQS_DDL, false), (SQLITE_DBCONFIG_ENABLE_FKEY, true),
        ]
        for (option, isOn) in switches { unsafe set(option, isOn, on: database) }
    }

    /// Turns an option of a connection on or off (SQLITE_DBCONFIG).
    static func set(_ option: Int32, _ isOn: Bool, on database: OpaquePointer) {
        let code = unsafe deskgate_sqlite_configure(database, option, isOn ? 1 : 0)
        precondition(code == SQLITE_OK, "this SQLite is older than 3.31")
    }
}

/// The access of a connection to its file.
package enum OpenMode: Sendable {
    /// Reads and writes. A missing file is created with mode 0600, in a directory that must exist.
    case readWriteCreate
    /// Reads and writes an existing file. Closing keeps the write-ahead log until `Connection.removeLogOnClose` is called. Otherwise the
    /// last connection to a file moves the log's pages to the database and removes the log, even when opening has failed.
    case readWriteKeepingLog
    /// Reads only; a missing file is an error.
    case readOnly
}

/// The times at which SQLite syncs the file, <https://www.sqlite.org/pragma.html#pragma_synchronous>.
package enum Synchronous: String, Sendable {
    /// At each commit: committed transactions survive a loss of power.
    case full = "FULL"
    /// With a write-ahead log only at checkpoints: a loss of power may undo the last commits, but does not damage the file.
    case normal = "NORMAL"
}
