internal import CSQLite

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
