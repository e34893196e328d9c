internal import Core
internal import SQLite
internal import Time

/// The connection that writes, with its statements. It belongs to the writer's thread.
///
/// The operations of `Store` are extensions; each runs inside `transaction`.
final class WritingDatabase {
    let settings: StoreSettings
    let statements: WriterStatements
    let deviceStatements: DeviceStatements
    let revocationStatements: RevocationStatements
    let botCallStatements: BotCallStatements
    /// Makes the ids of the registry's events.
    var random: any RandomNumberGenerator
    /// The numbers of pending deliveries, the open transaction's changes included.
    var counts: PendingCounts
    /// The numbers of apps, the open transaction's included.
    var apps = AppNumbers()
    /// Where the scan for old calls of devices continues.
    var nextDeviceCalls = Int64.min
    /// When texts or tokens were deleted that the log may still hold; nil when none were.
    var forgottenAt: MonotonicMilliseconds?
    /// Whether less of the disk is free than the settings ask for.
    var isDiskLow = false
    /// The error while the log is too long to be added to; nil when it is not.
    var longLog: StoreError?
    /// The error that keeps the store from accepting until it is opened again; nil when there is none.
    var refusal: StoreError?
    private let connection: Connection

    /// Takes a connection whose schema is up to date, and counts its pending deliveries.
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

    /// Runs `body` in a transaction. If it is rolled back, so are `counts` and `apps`.
    func transaction<Value>(_ body: () throws(SQLiteError) -> Value) throws(SQLiteError) -> Value {
        let before = (counts, apps)
        do throws(SQLiteError) {
            return try connection.transaction(body)
        } catch {
            (counts, apps) = before
            throw error
        }
    }

    /// Runs `body` in a savepoint of the open transaction. If it fails, its changes are undone, those to `counts` and `apps` too, and the
    /// transaction goes on.
    func part<Value>(_ body: () throws(SQLiteError) -> Value) throws(SQLiteError) -> Value {
        let before = (counts, apps)
        try statements.beginPart.runBound()
        do throws(SQLiteError) {
            let value = try body()
            try statements.keepPart.runBound()
            return value
        } catch {
            (counts, apps) = before
            // ROLLBACK TO leaves the savepoint open, so it is released after that.
            try statements.undoPart.runBound()
            try statements.keepPart.runBound()
            throw error
        }
    }

    /// How many pages the log had after the last commit.
    var loggedPages: Int { connection.loggedPages }

    /// Moves the log's pages to the database.
    /// - Returns: whether all of them have been moved, so that the next commit restarts the log.
    func moveLog() throws(SQLiteError) -> Bool {
        let (logged, moved) = try connection.checkpoint(truncate: false)
        return logged == moved
    }

    /// Truncates the log's file when all its pages are moved. Does not wait for readers of the log.
    /// - Returns: whether it is empty.
    func emptyLog() throws(SQLiteError) -> Bool {
        connection.setBusyTimeout(milliseconds: 0)
        defer { connection.setBusyTimeout(milliseconds: settings.busyTimeoutMilliseconds) }
        do throws(SQLiteError) {
            try connection.checkpoint(truncate: true)
            return true
        } catch {
            guard error.isBusy else { throw error }
            return false
        }
    }

    /// How many rows the last statement changed.
    var changes: Int64 { connection.changes }

    /// The number of the row inserted last.
    var lastInsertedRow: Int64 { connection.lastInsertRowID }

    /// Moves everything that the log holds to the database, which then needs no log.
    func settle() throws(SQLiteError) {
        try connection.transaction { () throws(SQLiteError) in try statements.markRun.run(1) }
        try connection.checkpoint(truncate: true)
    }

    /// Writes a copy of everything to a new file.
    func copy(to path: String) throws(StoreError) {
        try DatabaseCopy.write(connection, to: path)
    }

    /// Writes a value that does not change, to find out whether the disk takes writes.
    func touch() throws(SQLiteError) {
        try statements.markRun.run(0)
    }

    /// Marks the run as closed and empties the log. A failure is harmless, because the next start reads the log.
    /// - Parameter keepsLog: whether to leave the log as it is, because the disk refused pages that were moved from it, or a file is
    ///   missing. The next start moves all of it again.
    func close(keepsLog: Bool) {
        if keepsLog {
            connection.keepLogOnClose()
        } else {
            try? settle()
        }
        try? connection.close()
    }
}
