internal import Core
internal import SQLite
internal import Time

/// The connection that writes, with its statements. Only the writer's thread may use it.
///
/// The operations of `Store` are extensions; each runs inside `transaction`.
final class WritingDatabase {
    let settings: StoreSettings
    let statements: WriterStatements
    let deviceStatements: DeviceStatements
    let revocationStatements: RevocationStatements
    let botCallStatements: BotCallStatements
    var random: any RandomNumberGenerator
    /// The counts of pending deliveries, including the changes of the open transaction.
    var counts: PendingCounts
    /// The numbers of apps, including those of the open transaction.
    var apps = AppNumbers()
    /// The order of apps in the claims of each notifier.
    var turns: [ByteKey: AppTurns<Int64>] = [:]
    /// The revocations, including the open transaction's; nil before the first read. No other process writes them while the file is open.
    var revocations: KnownRevocations?
    /// The position at which the scan for old calls of devices continues.
    var nextDeviceCalls = Int64.min
    /// The time of the next emptying of the log, because it may contain deleted texts or tokens; nil when it contains none.
    var emptiesLogAt: MonotonicMilliseconds?
    /// The number of times that the log was emptied since the file was opened.
    var emptyings = 0
    /// Whether a reader prevented the last attempt to empty the log.
    var isLogRead = false
    /// Whether less of the disk is free than the settings require.
    var isDiskLow = false
    /// The error while the log is too long for further writes; nil when it is not.
    var longLog: StoreError?
    /// The error that prevents the store from accepting events until it is opened again; nil when there is none.
    var refusal: StoreError?
    private let connection: Connection

    /// Uses a connection whose schema is up to date, and counts its pending deliveries.
    init(_ connection: Connection, settings: StoreSettings, random: any RandomNumberGenerator) throws(SQLiteError) {
        self.connection = connection
        self.settings = settings
        self.random = random
        statements = try WriterStatements(connection)
        deviceStatements = try DeviceStatements(connection)
        revocationStatements = try RevocationStatements(connection)
        botCallStatements = try BotCallStatements(connection)
        counts = try PendingCounts(connection)
    }

    /// Runs `body` in a transaction. If it is rolled back, so are `counts`, `apps` and `revocations`.
    func transaction<Value>(_ body: () throws(SQLiteError) -> Value) throws(SQLiteError) -> Value {
        let before = (counts, apps, revocations)
        do throws(SQLiteError) {
            return try connection.transaction(body)
        } catch {
            (counts, apps, revocations) = before
            throw error
        }
    }

    /// Runs `body` in a savepoint of the open transaction. If it fails, its changes are undone, also those to `counts`, `apps` and
    /// `revocations`, and the transaction continues.
    func part<Value>(_ body: () throws(SQLiteError) -> Value) throws(SQLiteError) -> Value {
        let before = (counts, apps, revocations)
        try statements.beginPart.runBound()
        do throws(SQLiteError) {
            let value = try body()
            try statements.keepPart.runBound()
            return value
        } catch {
            (counts, apps, revocations) = before
            // ROLLBACK TO leaves the savepoint open, so it is released after that.
            try statements.undoPart.runBound()
            try statements.keepPart.runBound()
            throw error
        }
    }

    /// The number of pages in the log after the last commit.
    var loggedPages: Int { connection.loggedPages }

    /// Moves the log's pages to the database.
    /// - Returns: whether all of them have been moved, so that the next commit restarts the log.
    func moveLog() throws(SQLiteError) -> Bool {
        let (logged, moved) = try connection.checkpoint(truncate: false)
        return logged == moved
    }

    /// When all its pages are moved, restarts the log with a commit that changes nothing, and then truncates the log's file behind that
    /// commit. Does not wait for readers of the log.
    ///
    /// A truncating checkpoint would leave an empty log, which proves nothing after the process was killed: SQLite also creates an empty
    /// log for a database that was copied without its log.
    /// - Returns: whether the log contains nothing but that commit.
    func emptyLog() throws(SQLiteError) -> Bool {
        connection.setBusyTimeout(milliseconds: 0)
        defer { connection.setBusyTimeout(milliseconds: settings.busyTimeoutMilliseconds) }
        do throws(SQLiteError) {
            let (logged, moved) = try connection.checkpoint(truncate: false)
            guard logged == moved else { return false }
            try connection.setLogSizeLimit(bytes: 0)
            defer { try? connection.setLogSizeLimit(bytes: DatabaseFile.logBytesKept) }
            try connection.transaction { () throws(SQLiteError) in try touch() }
            let bytes = try connection.logBytes()
            // Otherwise a reader has forced the commit to the end of the log, or the disk has not truncated the file.
            return loggedPages <= logged && bytes == DatabaseFile.logBytes(pages: loggedPages)
        } catch {
            guard error.isBusy else { throw error }
            return false
        }
    }

    var changes: Int64 { connection.changes }

    var lastInsertedRow: Int64 { connection.lastInsertRowID }

    /// Moves the whole content of the log to the database, which then needs no log.
    func settle() throws(SQLiteError) {
        // This comes first, so that the mark is not in the database before everything else is.
        try connection.checkpoint(truncate: true)
        try connection.transaction { () throws(SQLiteError) in try statements.markRun.run(1) }
        try connection.checkpoint(truncate: true)
    }

    /// Writes a copy of everything to a new file.
    /// - Parameter source: the path of the database, for errors.
    func copy(of source: String, to path: String) throws(StoreError) {
        try DatabaseCopy.write(connection, of: source, to: path)
    }

    /// Marks the run as open, and writes an unchanging value, to test whether the disk accepts writes.
    func touch() throws(SQLiteError) {
        try statements.markRun.run(0)
        // SQLite does not write an unchanged row again.
        try connection.setUserVersion(Migrations.latest)
    }

    /// Moves the log's pages to the database and marks the run as closed; after that `close` removes the log. A reader in another process
    /// prevents only the removal; then the next stop removes the log.
    /// - Throws: the reason why the run could not be marked. In that case `close` leaves the log, and the next start reads it.
    func endRun() throws(SQLiteError) {
        connection.setBusyTimeout(milliseconds: settings.busyTimeoutMilliseconds / 2)
        do throws(SQLiteError) {
            // This comes first, so that the mark is not in the database before everything else is.
            _ = try moveLog()
        } catch {
            guard error.isBusy else { throw error }
        }
        try transaction { () throws(SQLiteError) in try statements.markRun.run(1) }
        connection.removeLogOnClose()
    }

    /// Closes the file. Leaves the log unchanged, unless the run was marked as closed.
    func close() {
        try? connection.close()
    }
}
