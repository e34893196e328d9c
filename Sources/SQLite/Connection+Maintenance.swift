internal import CSQLite

extension Connection {
    /// The number that the file keeps for its user, 0 in a new one: the version of the schema.
    package func userVersion() throws(SQLiteError) -> Int32 {
        let version = try single("PRAGMA user_version") { statement throws(SQLiteError) in try statement.int64(0) }
        return Int32(truncatingIfNeeded: version)
    }

    /// Changes the number that the file keeps for its user; part of a transaction that is open.
    package func setUserVersion(_ version: Int32) throws(SQLiteError) {
        try execute(dynamic: "PRAGMA user_version = \(version)")
    }

    /// Looks for damage in every page, but not whether indexes agree with their tables (PRAGMA quick_check).
    /// - Returns: what it found, at most 100 lines; none when the file is sound.
    /// - Throws: what kept it from looking. Damage that ends the search is returned instead.
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

    /// Writes everything that this connection sees to another file, without what was deleted (VACUUM INTO). Others may go on writing here meanwhile.
    /// - Parameter path: of an empty file.
    /// - Throws: why it could not be read or written; the other file is then of no use. It is not durable yet.
    package func copy(into path: String) throws(SQLiteError) {
        try Statement(self, "VACUUM INTO ?1").run(try DatabaseOpening.plainName(path))
    }

    /// Moves what the write-ahead log holds to the database.
    /// - Parameter truncate: whether to wait for readers and writers, as long as the busy timeout, and then empty the log's file; otherwise
    ///   what nobody needs is moved, and nobody waits.
    /// - Returns: how many pages the log has had, and how many of these have been moved by now: fewer when somebody still reads there.
    /// - Throws: an error that `isBusy` when others kept it from emptying the log.
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

    /// Has the disk take what `checkpoint` has moved, which it does itself only once all of the log is moved.
    package func syncDatabase() throws(SQLiteError) {
        let code = unsafe deskgate_sqlite_sync_database(database)
        guard code == SQLITE_OK else { throw SQLiteError(code: code) }
    }

    /// Has closing leave the log as it is, which otherwise moves its pages and removes it.
    package func keepLogOnClose() {
        let code = unsafe deskgate_sqlite_configure(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        precondition(code == SQLITE_OK, "this SQLite is older than 3.16")
    }

    /// Reads the one row that a statement returns.
    func single<Result>(
        _ sql: StaticString, _ read: (Statement) throws(SQLiteError) -> Result
    ) throws(SQLiteError) -> Result {
        let statement = try Statement(self, sql)
        guard try statement.step() else { preconditionFailure("the statement returned no row") }
        return try read(statement)
    }
}
