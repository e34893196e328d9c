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

extension Connection {
    /// Keeps a write-ahead log, so that readers and the writer do not wait for each other. The file remembers it.
    /// - Throws: also when the file system cannot share memory between processes, which the log needs.
    package func useWriteAheadLog() throws(SQLiteError) {
        let mode = try single("PRAGMA journal_mode = WAL") { statement throws(SQLiteError) in try statement.bytes(0) }
        guard mode == Array("wal".utf8) else {
            throw SQLiteError(code: SQLITE_CANTOPEN, message: "the file system cannot hold a write-ahead log")
        }
    }

    /// Sets when this connection waits for the disk.
    package func setSynchronous(_ synchronous: Synchronous) throws(SQLiteError) {
        try execute(dynamic: "PRAGMA synchronous = \(synchronous.rawValue)")
    }

    /// Sets how long a call waits for other connections' locks before it throws an error that `isBusy`; 0, as at first, is not at all.
    package func setBusyTimeout(milliseconds: Int32) {
        precondition(milliseconds >= 0, "a timeout is not negative")
        unsafe sqlite3_busy_timeout(database, milliseconds)
    }

    /// Has commits never move pages from the log to the database, which they otherwise do when there are 1000: `checkpoint` must be called.
    /// `loggedPages` is known from now on.
    package func leaveLogToCheckpoints() {
        unsafe sqlite3_wal_hook(
            database,
            { context, _, _, pages in
                // The connection outlives its own commits.
                if let context = unsafe context {
                    unsafe Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().loggedPages = Int(pages)
                }
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Has what is deleted overwritten with zeros.
    package func overwriteDeleted() throws(SQLiteError) {
        try execute(dynamic: "PRAGMA secure_delete = ON")
    }

    /// Sets how much memory cached pages may take, in KiB.
    package func setCacheSize(kibibytes: Int32) throws(SQLiteError) {
        precondition(kibibytes > 0, "a cache has a size")
        // SQLite takes a negative number for KiB, a positive one for pages.
        try execute(dynamic: "PRAGMA cache_size = -\(kibibytes)")
    }

    /// Sets how much of a log that is no longer needed stays on the disk for reuse, in bytes.
    package func setLogSizeLimit(bytes: Int64) throws(SQLiteError) {
        precondition(bytes >= 0, "a size is not negative")
        try execute(dynamic: "PRAGMA journal_size_limit = \(bytes)")
    }

    /// Sets how many pages, of 4096 bytes unless the file says otherwise, the database may have; what needs more fails with an error that
    /// `isFull`. The limit is this connection's, and never below the present size.
    package func setSizeLimit(pages: UInt32) throws(SQLiteError) {
        precondition(pages > 0, "a database has a page")
        try execute(dynamic: "PRAGMA max_page_count = \(pages)")
    }
}

extension Connection {
    /// Runs `body` in a transaction that has the write lock from its start, and commits it.
    ///
    /// Transactions do not nest. A failure of `body` or of the commit rolls everything back.
    /// - Throws: what `body` throws, or why the transaction could not begin or commit.
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
            // The first error is the one that explains; a rollback itself has nothing to add, and always ends the transaction.
            if isInTransaction { try? execute(dynamic: "ROLLBACK") }
            throw error
        }
    }

    /// Whether a transaction is open; SQLite ends one itself after some failures.
    package var isInTransaction: Bool { unsafe sqlite3_get_autocommit(database) == 0 }

    /// Throws when SQLite rolled the running transaction back, because a statement would now commit on its own.
    func checkTransactionStands() throws(SQLiteError) {
        if isInTransactionBody, !isInTransaction { throw SQLiteError(code: Int32(DESKGATE_SQLITE_ABORT_ROLLBACK)) }
    }
}

extension Connection {
    /// What SQLite does to run each statement that is prepared here (EXPLAIN QUERY PLAN), for tests: a statement that looks at all rows of a table
    /// that grows keeps everybody waiting.
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
