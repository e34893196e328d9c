internal import CSQLite

/// A connection to one database file.
///
/// Only one thread at a time may use it, because SQLite does no locking for it: create it on the thread that owns it. Foreign keys are
/// enforced, and text in double quotes is never a literal. Releasing it closes it; `close()` reports errors.
@safe
package final class Connection {
    private let handle: OpaquePointer
    private(set) var isOpen = true
    /// The number of active calls with borrowed rows or bytes, which closing would invalidate.
    var lendings = 0
    /// The number of pages in the log after this connection's last commit; 0 once this connection has moved all of them. Requires
    /// `leaveLogToCheckpoints`.
    package internal(set) var loggedPages = 0
    /// Whether the body of a `transaction` is running; its statements must not commit on their own.
    var isInTransactionBody = false
    /// Whether the running statement must end; see `endStatements`.
    var shallEnd: () -> Bool = { false }

    /// Opens the file and reads its header.
    /// - Throws: when it cannot be opened, is not a database, is locked, or is read-only and `mode` writes.
    package init(path: String, mode: OpenMode) throws(SQLiteError) {
        unsafe handle = try DatabaseOpening.open(path, mode: mode)
    }

    deinit {
        if isOpen { _ = closeHandle() }
    }

    /// SQLite's handle, valid during one call. Traps if the connection is closed.
    var database: OpaquePointer {
        precondition(isOpen, "the connection is closed")
        return unsafe handle
    }

    /// Closes the file and rolls back an open transaction. Its statements end too: using one afterwards traps, releasing it is safe.
    /// - Throws: when SQLite fails; the connection is still open then.
    package func close() throws(SQLiteError) {
        precondition(isOpen, "the connection is already closed")
        precondition(lendings == 0, "rows or bytes of the connection are still borrowed")
        guard closeHandle() == SQLITE_OK else { throw unsafe SQLiteError(lastOf: handle) }
        isOpen = false
    }

    private func closeHandle() -> Int32 {
        while let statement = unsafe sqlite3_next_stmt(handle, nil) { unsafe sqlite3_finalize(statement) }
        return unsafe sqlite3_close(handle)
    }

    /// Runs statements separated by semicolons, and ignores their rows.
    /// - Parameter sql: a literal, so that values cannot become part of it.
    /// - Throws: the first failure; earlier statements remain in effect, unless a transaction is rolled back.
    package func execute(_ sql: StaticString) throws(SQLiteError) {
        try execute(dynamic: sql.description)
    }

    func execute(dynamic sql: String) throws(SQLiteError) {
        precondition(!sql.utf8.contains(0), "SQL ends at a NUL")
        try checkTransactionIsOpen()
        guard unsafe sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else { throw unsafe SQLiteError(lastOf: database) }
    }

    /// The number of rows that the last finished INSERT, UPDATE or DELETE changed.
    package var changes: Int64 { unsafe sqlite3_changes64(database) }

    /// The row id of the last successful INSERT on this connection, 0 before the first.
    package var lastInsertRowID: Int64 { unsafe sqlite3_last_insert_rowid(database) }
}

extension Connection {
    /// Switches to a write-ahead log, so that readers and the writer do not wait for each other. The setting is stored in the file.
    /// - Throws: also when the file system does not support shared memory, which the log needs.
    package func useWriteAheadLog() throws(SQLiteError) {
        let mode = try single("PRAGMA journal_mode = WAL") { statement throws(SQLiteError) in try statement.bytes(0) }
        guard mode == Array("wal".utf8) else {
            throw SQLiteError(code: SQLITE_CANTOPEN, message: "the file system cannot hold a write-ahead log")
        }
    }

    /// Sets when this connection syncs the file.
    package func setSynchronous(_ synchronous: Synchronous) throws(SQLiteError) {
        try execute(dynamic: "PRAGMA synchronous = \(synchronous.rawValue)")
    }

    /// Sets the maximum time in milliseconds for which a call waits for other connections' locks before it throws an error with `isBusy`;
    /// with 0, the default, it does not wait.
    package func setBusyTimeout(milliseconds: Int32) {
        precondition(milliseconds >= 0, "a timeout must not be negative")
        unsafe sqlite3_busy_timeout(database, milliseconds)
    }

    /// Turns off automatic checkpoints, which commits otherwise run at 1000 pages: the caller must call `checkpoint`. From now on
    /// `loggedPages` is known.
    package func leaveLogToCheckpoints() {
        unsafe sqlite3_wal_hook(
            database,
            { context, _, _, pages in
                // The connection outlives all of its commits.
                if let context = unsafe context {
                    unsafe Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().loggedPages = Int(pages)
                }
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Overwrites deleted data with zeros (PRAGMA secure_delete).
    package func overwriteDeleted() throws(SQLiteError) {
        try execute(dynamic: "PRAGMA secure_delete = ON")
    }

    package func setCacheSize(kibibytes: Int32) throws(SQLiteError) {
        precondition(kibibytes > 0, "a cache must have a size")
        // For SQLite a negative number means KiB, a positive one pages.
        try execute(dynamic: "PRAGMA cache_size = -\(kibibytes)")
    }

    /// Sets the number of bytes of the log's file that are kept for reuse after the log was restarted.
    package func setLogSizeLimit(bytes: Int64) throws(SQLiteError) {
        precondition(bytes >= 0, "a size must not be negative")
        try execute(dynamic: "PRAGMA journal_size_limit = \(bytes)")
    }

    /// Limits the database to this many pages, of 4096 bytes unless the file says otherwise; a larger one fails with an error with
    /// `isFull`. The limit holds for this connection only, and is never below the current size.
    package func setSizeLimit(pages: UInt32) throws(SQLiteError) {
        precondition(pages > 0, "a database must have a page")
        try execute(dynamic: "PRAGMA max_page_count = \(pages)")
    }
}

extension Connection {
    /// Runs `body` in a transaction that takes the write lock at its start, and commits it.
    ///
    /// Transactions do not nest. A failure of `body` or of the commit rolls everything back.
    /// - Throws: any error of `body`, or the reason why the transaction could not begin or commit.
    package func transaction<Result>(_ body: () throws(SQLiteError) -> Result) throws(SQLiteError) -> Result {
        precondition(!isInTransaction, "a transaction is open already")
        try execute(dynamic: "BEGIN IMMEDIATE")
        isInTransactionBody = true
        defer { isInTransactionBody = false }
        do throws(SQLiteError) {
            let result = try body()
            try execute(dynamic: "COMMIT")
            return result
        } catch {
            // The first error is the cause. An error of the rollback adds no information, and a rollback always ends the transaction.
            if isInTransaction { try? execute(dynamic: "ROLLBACK") }
            throw error
        }
    }

    /// Whether a transaction is open; SQLite ends one itself after some failures.
    package var isInTransaction: Bool { unsafe sqlite3_get_autocommit(database) == 0 }

    /// Throws if SQLite has rolled the running transaction back, because further statements would commit on their own.
    func checkTransactionIsOpen() throws(SQLiteError) {
        if isInTransactionBody, !isInTransaction { throw SQLiteError(code: Int32(DESKGATE_SQLITE_ABORT_ROLLBACK)) }
    }
}

extension Connection {
    /// The query plans of all statements that were prepared on this connection (EXPLAIN QUERY PLAN), for tests: a statement that scans a
    /// growing table would delay all others.
    package func plans() throws(SQLiteError) -> [(sql: String, steps: [String])] {
        var texts: [String] = []
        var next = unsafe sqlite3_next_stmt(database, nil)
        while let statement = unsafe next {
            texts.append(unsafe String(cString: sqlite3_sql(statement)))
            unsafe next = sqlite3_next_stmt(database, statement)
        }
        var plans: [(sql: String, steps: [String])] = []
        for text in texts { plans.append((text, try steps(of: text))) }
        return plans
    }

    private func steps(of sql: String) throws(SQLiteError) -> [String] {
        var prepared: OpaquePointer?
        guard unsafe sqlite3_prepare_v2(database, "EXPLAIN QUERY PLAN \(sql)", -1, &prepared, nil) == SQLITE_OK else {
            throw unsafe SQLiteError(lastOf: database)
        }
        defer { unsafe sqlite3_finalize(prepared) }
        var steps: [String] = []
        while unsafe sqlite3_step(prepared) == SQLITE_ROW {
            if let text = unsafe sqlite3_column_text(prepared, 3) { steps.append(unsafe String(cString: text)) }
        }
        return steps
    }
}
