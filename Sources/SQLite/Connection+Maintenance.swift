internal import CSQLite

extension Connection {
    /// The file's `user_version`, 0 in a new file: the version of the schema.
    package func userVersion() throws(SQLiteError) -> Int32 {
        let version = try single("PRAGMA user_version") { statement throws(SQLiteError) in try statement.int64(0) }
        return Int32(truncatingIfNeeded: version)
    }

    /// Sets the file's `user_version`; part of an open transaction.
    package func setUserVersion(_ version: Int32) throws(SQLiteError) {
        try execute(dynamic: "PRAGMA user_version = \(version)")
    }

    /// Checks every page for damage, but not whether indexes agree with their tables (PRAGMA quick_check).
    /// - Returns: the findings, at most 100 lines; empty when the file is sound.
    /// - Throws: when the check could not run. Damage that ends the check is returned instead.
    package func integrityCheck() throws(SQLiteError) -> [String] {
        var findings: [String] = []
        do throws(SQLiteError) {
            try Statement(self, "PRAGMA quick_check(100)").forEachRow { row throws(SQLiteError) in
                findings.append(try row.string(0))
            }
        } catch {
            guard error.isCorrupt else { throw error }
            findings.append(error.message)
        }
        return findings.count == 1 && findings[0].utf8.elementsEqual("ok".utf8) ? [] : findings
    }

    /// Writes the connection's snapshot to another file, without deleted data (VACUUM INTO). Other connections may write meanwhile.
    /// - Parameter path: an empty file.
    /// - Throws: when reading or writing failed; in that case the other file is unusable. On success it is not durable yet.
    package func copy(into path: String) throws(SQLiteError) {
        try Statement(self, "VACUUM INTO ?1").run(try DatabaseOpening.plainName(path))
    }

    /// Runs a checkpoint: moves the pages of the write-ahead log to the database.
    /// - Parameter truncate: whether to wait for readers and writers, up to the busy timeout, and then truncate the log's file; otherwise
    ///   pages that no reader needs are moved, without waiting.
    /// - Returns: the number of pages in the log, and the number moved so far, which is smaller while a reader needs some of them.
    /// - Throws: an error with `isBusy` when other connections prevented the truncation.
    @discardableResult
    package func checkpoint(truncate: Bool) throws(SQLiteError) -> (logged: Int, moved: Int) {
        var logged: Int32 = 0
        var moved: Int32 = 0
        let mode = truncate ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE
        guard unsafe sqlite3_wal_checkpoint_v2(database, nil, mode, &logged, &moved) == SQLITE_OK else {
            throw unsafe SQLiteError(lastOf: database)
        }
        if logged == moved { loggedPages = 0 }
        return (Int(logged), Int(moved))
    }

    /// Syncs the pages that `checkpoint` has moved. SQLite itself does this only when the whole log is moved.
    package func syncDatabase() throws(SQLiteError) {
        let code = unsafe deskgate_sqlite_sync_database(database)
        guard code == SQLITE_OK else { throw SQLiteError(code: code) }
    }

    /// Ends the mode `OpenMode.readWriteKeepingLog`: if no other connection has the file open, `close` moves the log's pages and, once they
    /// are on the disk, removes the log.
    package func removeLogOnClose() {
        unsafe DatabaseOpening.set(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false, on: database)
    }

    /// The size of the log's file in bytes; 0 for a database without one.
    package func logBytes() throws(SQLiteError) -> Int64 {
        var bytes: Int64 = 0
        let code = unsafe deskgate_sqlite_log_size(database, &bytes)
        guard code == SQLITE_OK else { throw SQLiteError(code: code) }
        return bytes
    }

    func single<Result>(
        _ sql: StaticString, _ read: (Statement) throws(SQLiteError) -> Result
    ) throws(SQLiteError) -> Result {
        let statement = try Statement(self, sql)
        guard try statement.step() else { preconditionFailure("the statement returned no row") }
        return try read(statement)
    }
}
