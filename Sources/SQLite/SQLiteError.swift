internal import CSQLite

/// Why SQLite refused something: its result code, its words, and never a value that was bound or read.
package struct SQLiteError: Error, Equatable, Sendable {
    /// The extended result code, such as 2067 for a violated UNIQUE (<https://www.sqlite.org/rescode.html>).
    package let extendedCode: Int32
    /// The errno value behind a file that cannot be opened, read or written; 0 for everything else.
    package let systemErrno: Int32
    /// SQLite's words, such as `UNIQUE constraint failed: delivery.id`; they name tables and columns.
    package let message: String
    /// The file, when it was opening it that failed.
    package let path: String?

    /// The primary result code, the low byte of the extended one.
    package var primaryCode: Int32 { extendedCode & 0xff }

    init(code: Int32, message: String? = nil, systemErrno: Int32 = 0, path: String? = nil) {
        extendedCode = code
        self.systemErrno = systemErrno
        self.message = unsafe message ?? String(cString: sqlite3_errstr(code))
        self.path = path
    }

    /// Describes what the connection's last call left behind.
    init(lastOf database: OpaquePointer, path: String? = nil) {
        let code = unsafe sqlite3_extended_errcode(database)
        // Other failures leave the errno of an older one in place.
        let hasErrno = [SQLITE_CANTOPEN, SQLITE_IOERR].contains(code & 0xff)
        self.init(
            code: code, message: unsafe String(cString: sqlite3_errmsg(database)),
            systemErrno: hasErrno ? unsafe sqlite3_system_errno(database) : 0, path: path)
    }

    /// The same error, with the file whose opening it ended.
    func opening(_ path: String) -> SQLiteError {
        SQLiteError(code: extendedCode, message: message, systemErrno: systemErrno, path: path)
    }

    /// The same error in the words of its code alone, for a message that could quote a value.
    var withoutDetail: SQLiteError {
        SQLiteError(code: extendedCode, systemErrno: systemErrno, path: path)
    }
}
