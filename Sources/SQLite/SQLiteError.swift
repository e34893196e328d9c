internal import CSQLite
internal import Glibc

/// A failed call of SQLite: its result code and message, never a bound or read value.
package struct SQLiteError: Error, Equatable, Sendable {
    /// The extended result code, such as 2067 for a violated UNIQUE (<https://www.sqlite.org/rescode.html>).
    package let extendedCode: Int32
    /// The errno of a file that cannot be opened, read or written; otherwise 0.
    package let systemErrno: Int32
    /// SQLite's message, such as `UNIQUE constraint failed: delivery.id`; it names tables and columns.
    package let message: String
    package let path: String?

    /// The primary result code, the low byte of the extended one.
    package var primaryCode: Int32 { extendedCode & 0xff }

    init(code: Int32, message: String? = nil, systemErrno: Int32 = 0, path: String? = nil) {
        extendedCode = code
        self.systemErrno = systemErrno
        self.message = unsafe message ?? String(cString: sqlite3_errstr(code))
        self.path = path
    }

    init(lastOf database: OpaquePointer, path: String? = nil) {
        let code = unsafe sqlite3_extended_errcode(database)
        // After other failures, errno is that of an earlier one.
        let hasErrno = [SQLITE_CANTOPEN, SQLITE_IOERR].contains(code & 0xff)
        self.init(
            code: code, message: unsafe String(cString: sqlite3_errmsg(database)),
            systemErrno: hasErrno ? unsafe sqlite3_system_errno(database) : 0, path: path)
    }

    /// The same error with the path of the file that could not be opened.
    func opening(_ path: String) -> SQLiteError {
        SQLiteError(code: extendedCode, message: message, systemErrno: systemErrno, path: path)
    }

    /// The same error with the standard message of its code, for a message that could quote a value.
    var withoutDetail: SQLiteError {
        SQLiteError(code: extendedCode, systemErrno: systemErrno, path: path)
    }
}

extension SQLiteError {
    /// Whether another connection held a lock for longer than the busy timeout; trying again later may succeed.
    package var isBusy: Bool { [SQLITE_BUSY, SQLITE_LOCKED].contains(primaryCode) }

    /// Whether the statement was ended because `Connection.endStatements` returned true.
    package var isInterrupted: Bool { primaryCode == SQLITE_INTERRUPT }

    /// Whether there is no space left: on the disk, in the quota, or within the limit of pages.
    package var isFull: Bool {
        primaryCode == SQLITE_FULL || (primaryCode == SQLITE_IOERR && [ENOSPC, EDQUOT].contains(systemErrno))
    }

    /// Whether the file, its directory or the connection is read-only.
    package var isReadOnly: Bool { primaryCode == SQLITE_READONLY }

    /// Whether the file is damaged or not a database.
    package var isCorrupt: Bool { [SQLITE_CORRUPT, SQLITE_NOTADB].contains(primaryCode) }

    /// Whether a row violated a constraint of its table.
    package var isConstraint: Bool { primaryCode == SQLITE_CONSTRAINT }

    /// Whether the file, or one that belongs to it, could not be opened.
    package var isCannotOpen: Bool { primaryCode == SQLITE_CANTOPEN }

    /// Whether the system failed to read, write or lock the file; a full disk is one of the causes.
    package var isIOError: Bool { primaryCode == SQLITE_IOERR }

    /// The remedy for a file that could not be opened or used; nil for other errors.
    package var remedy: String? {
        if isFull { return "free space on the disk that holds the file" }
        switch primaryCode {
        case SQLITE_CANTOPEN where systemErrno == EISDIR: return "the path names a directory: name a file in it"
        case SQLITE_CANTOPEN:
            return "the directory must exist, and this user must be allowed to enter it and to create files in it"
        case SQLITE_READONLY, SQLITE_PERM:
            return "this user must be allowed to write the file and its directory, where SQLite keeps the -wal and -shm files"
        case SQLITE_NOTADB:
            return "the path names a file of another kind: name another path, or move the file away"
        case SQLITE_CORRUPT:
            return "stop the service and restore a backup (deskgate store restore), or save what `sqlite3 FILE .recover` still finds"
        case SQLITE_BUSY:
            return "another process keeps the file locked: stop it"
        default:
            return nil
        }
    }
}

extension SQLiteError: CustomStringConvertible {
    /// One line for the operator: the file if it could not be opened, SQLite's message, the codes, and the remedy if there is one.
    package var description: String { remedy.map { "\(cause); \($0)" } ?? cause }

    /// The same without the remedy.
    package var cause: String {
        var text = path.map { "cannot open \($0): " } ?? ""
        text += "\(message) (SQLite code \(extendedCode)"
        if systemErrno != 0 { text += unsafe ", \(String(cString: strerror(systemErrno)))" }
        return text + ")"
    }
}
