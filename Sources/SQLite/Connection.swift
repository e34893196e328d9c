internal import CSQLite

/// A connection to one database file.
///
/// It is used by one thread at a time, since SQLite does no locking for it: create it on the thread that keeps it. Foreign keys are enforced,
/// and text in double quotes is never taken for a literal. Letting it go closes it; `close()` tells how that went.
@safe
package final class Connection {
    private let handle: OpaquePointer
    private(set) var isOpen = true
    /// How many calls are under way that lend rows or bytes, which closing would take away.
    var lendings = 0
    /// How many pages the log had after this connection's last commit, 0 once it has moved all of them; needs `leaveLogToCheckpoints`.
    package internal(set) var loggedPages = 0
    /// Whether a `transaction` body is running, whose statements must not commit by themselves.
    var isInTransactionBody = false

    /// Opens the file and reads its head.
    /// - Throws: when it cannot be opened, is no database, is locked, or can only be read though writing was asked for.
    package init(path: String, mode: OpenMode) throws(SQLiteError) {
        unsafe handle = try DatabaseOpening.open(path, mode: mode)
    }

    deinit {
        if isOpen { _ = closeHandle() }
    }

    /// SQLite's handle, for the length of one call. A closed connection traps.
    var database: OpaquePointer {
        precondition(isOpen, "the connection is closed")
        return unsafe handle
    }

    /// Closes the file, rolling back a transaction that is open. The statements end too: using one afterwards traps, letting it go is fine.
    /// - Throws: SQLite's refusal, after which the connection is still open.
    package func close() throws(SQLiteError) {
        precondition(isOpen, "the connection is closed already")
        precondition(lendings == 0, "rows or bytes of the connection are still lent")
        guard closeHandle() == SQLITE_OK else { throw unsafe SQLiteError(lastOf: handle) }
        isOpen = false
    }

    private func closeHandle() -> Int32 {
        while let statement = unsafe sqlite3_next_stmt(handle, nil) { unsafe sqlite3_finalize(statement) }
        return unsafe sqlite3_close(handle)
    }

    /// Runs statements separated by semicolons, and drops the rows that they return.
    /// - Parameter sql: a literal, so that values cannot become part of it.
    /// - Throws: the first failure; the statements before it stay done, unless a transaction is rolled back.
    package func execute(_ sql: StaticString) throws(SQLiteError) {
        try execute(dynamic: sql.description)
    }

    /// Runs SQL that this module composed.
    func execute(dynamic sql: String) throws(SQLiteError) {
        precondition(!sql.utf8.contains(0), "SQL ends at a NUL")
        try checkTransactionStands()
        guard unsafe sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else { throw unsafe SQLiteError(lastOf: database) }
    }

    /// How many rows the last finished INSERT, UPDATE or DELETE changed.
    package var changes: Int64 { unsafe sqlite3_changes64(database) }

    /// The row id of the last successful INSERT on this connection, 0 before the first.
    package var lastInsertRowID: Int64 { unsafe sqlite3_last_insert_rowid(database) }
}
