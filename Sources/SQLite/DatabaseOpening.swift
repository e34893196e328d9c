internal import CSQLite
internal import Glibc

/// The steps from a path to a database handle that is known to work.
enum DatabaseOpening {
    /// Opens the file, and proves that it is a database that the mode can be kept for.
    static func open(_ path: String, mode: OpenMode) throws(SQLiteError) -> OpaquePointer {
        let name = try plainName(path)
        if mode == .readWriteCreate { createForOwner(name) }
        let database = unsafe try openHandle(name, mode: mode)
        do throws(SQLiteError) {
            unsafe try prove(database, mode: mode)
        } catch {
            unsafe sqlite3_close_v2(database)
            throw error.opening(path)
        }
        unsafe harden(database)
        return unsafe database
    }

    /// The path in a spelling that SQLite takes for nothing else: Debian's takes `file:…` for a URI, and all take `:memory:` for no file.
    static func plainName(_ path: String) throws(SQLiteError) -> String {
        guard !path.isEmpty, !path.utf8.contains(0) else { throw SQLiteError(code: SQLITE_CANTOPEN, path: path) }
        return path.utf8.first == UInt8(ascii: "/") ? path : "./\(path)"
    }

    /// Creates the file, if there is none, so that others cannot read it: SQLite alone would leave that to the umask.
    ///
    /// An existing file is not even opened, because closing it would drop the locks that other connections of this process hold
    /// (<https://www.sqlite.org/howtocorrupt.html> section 2.2). What goes wrong is told by SQLite, which comes to the same file next.
    private static func createForOwner(_ name: String) {
        let descriptor = unsafe Glibc.open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
    }

    private static func openHandle(_ name: String, mode: OpenMode) throws(SQLiteError) -> OpaquePointer {
        precondition(sqlite3_threadsafe() != 0, "SQLite was built for programs with one thread")
        let access = mode == .readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        var handle: OpaquePointer?
        let code = unsafe sqlite3_open_v2(name, &handle, access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard let database = unsafe handle else { throw SQLiteError(code: code, path: name) }
        guard code == SQLITE_OK else {
            defer { unsafe sqlite3_close_v2(database) }
            throw unsafe SQLiteError(lastOf: database, path: name)
        }
        return unsafe database
    }

    /// Reads the file's head, which opening leaves for later, and refuses to go on read-only unasked, which SQLite does silently.
    private static func prove(_ database: OpaquePointer, mode: OpenMode) throws(SQLiteError) {
        guard unsafe mode == .readOnly || sqlite3_db_readonly(database, "main") == 0 else {
            throw SQLiteError(code: SQLITE_READONLY)
        }
        guard unsafe sqlite3_exec(database, "PRAGMA schema_version", nil, nil, nil) == SQLITE_OK else {
            throw unsafe SQLiteError(lastOf: database)
        }
    }

    /// Turns off what only old schemas or attackers need, <https://www.sqlite.org/security.html>, and turns foreign keys on.
    private static func harden(_ database: OpaquePointer) {
        let switches = [
            (SQLITE_DBCONFIG_DEFENSIVE, true), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, false), (SQLITE_DBCONFIG_DQS_DML, false),
            (SQLITE_DBCONFIG_DQS_DDL, false), (SQLITE_DBCONFIG_ENABLE_FKEY, true),
        ]
        for (option, isOn) in switches {
            let code = unsafe deskgate_sqlite_configure(database, option, isOn ? 1 : 0)
            precondition(code == SQLITE_OK, "this SQLite is older than 3.31")
        }
    }
}

/// What a connection may do with its file.
package enum OpenMode: Sendable {
    /// Reads and writes; a missing file is created, for its owner only (0600), in a directory that must exist.
    case readWriteCreate
    /// Reads only; a missing file is an error.
    case readOnly
}

/// When SQLite waits for the disk, <https://www.sqlite.org/pragma.html#pragma_synchronous>.
package enum Synchronous: String, Sendable {
    /// At each commit: what was committed survives a loss of power.
    case full = "FULL"
    /// With a write-ahead log at checkpoints only: a loss of power may take the last commits, and harms nothing else.
    case normal = "NORMAL"
}
