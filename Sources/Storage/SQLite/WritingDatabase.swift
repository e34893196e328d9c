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
    /// Makes the ids of the registry's events.
    var random: any RandomNumberGenerator
    /// What is pending, the open transaction's changes included.
    var counts: PendingCounts
    /// The numbers of apps, the open transaction's included.
    var apps = AppNumbers()
    /// Where looking for calls of devices that can be forgotten goes on.
    var nextDeviceCalls = Int64.min
    /// When texts or tokens were forgotten that may still stand in the log; nil when none were.
    var forgottenAt: MonotonicMilliseconds?
    /// Whether less of the disk is free than should be.
    var isDiskLow = false
    /// That the log has grown too long for more.
    var longLog: StoreError?
    /// Why nothing is accepted any more until the next start.
    var refusal: StoreError?
    private let connection: Connection

    /// Takes a connection whose schema is up to date, and counts what is pending.
    init(_ connection: Connection, settings: StoreSettings, random: any RandomNumberGenerator) throws(SQLiteError) {
        self.connection = connection
        self.settings = settings
        self.random = random
        statements = try WriterStatements(connection)
        deviceStatements = try DeviceStatements(connection)
        counts = try PendingCounts(connection)
    }

    /// Runs `body` in a transaction; the counts and the numbers of apps follow its fate.
    func transaction<Value>(_ body: () throws(SQLiteError) -> Value) throws(SQLiteError) -> Value {
        let before = (counts, apps)
        do throws(SQLiteError) {
            return try connection.transaction(body)
        } catch {
            (counts, apps) = before
            throw error
        }
    }

    /// Runs `body` as a part of the open transaction, which goes on without it when it fails; the counts and the numbers of apps follow its fate.
    func part<Value>(_ body: () throws(SQLiteError) -> Value) throws(SQLiteError) -> Value {
        let before = (counts, apps)
        try statements.beginPart.runBound()
        do throws(SQLiteError) {
            let value = try body()
            try statements.keepPart.runBound()
            return value
        } catch {
            (counts, apps) = before
            // Undoing leaves the part open; it ends with its release.
            try statements.undoPart.runBound()
            try statements.keepPart.runBound()
            throw error
        }
    }

    /// How many pages the log had after the last commit.
    var loggedPages: Int { connection.loggedPages }

    /// Moves the log's pages to the database.
    /// - Returns: whether all of them have been moved, so that the next commit begins the log anew.
    func moveLog() throws(SQLiteError) -> Bool {
        let (logged, moved) = try connection.checkpoint(truncate: false)
        return logged == moved
    }

    /// Empties the log's file when all its pages are moved, unless somebody reads there, for whom nobody waits.
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

    /// Writes something that changes nothing.
    func touch() throws(SQLiteError) {
        try statements.markRun.run(0)
    }

    /// Notes that the run has ended well and empties the log; whatever fails here is harmless, because the log is read at the next start.
    /// - Parameter keepsLog: whether the log stays as it is, because the disk has not taken what was moved from it; the next start moves all of it
    ///   again.
    func close(keepsLog: Bool) {
        if keepsLog {
            connection.keepLogOnClose()
        } else {
            try? settle()
        }
        try? connection.close()
    }
}
