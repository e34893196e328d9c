internal import Core
internal import POSIX
internal import SQLite

/// Opens a store's file and checks everything that must hold before a call is accepted.
enum DatabaseFile {
    /// The size of a page in bytes, SQLite's default for new files.
    static let pageBytes: UInt64 = 4096
    /// The number of bytes of the log's file that are reserved for reuse.
    static let logBytesKept: Int64 = 128 << 20

    /// The size of a log file with exactly this many pages, in bytes: a header, and a header for each page.
    static func logBytes(pages: Int) -> Int64 { 32 + Int64(pages) * (24 + Int64(pageBytes)) }

    struct Opened {
        let database: WritingDatabase
        let files: StoreFiles
    }

    /// Creates the database if there is none, and takes its lock.
    static func lock(_ path: String) throws(StoreError) -> DatabaseLock {
        if !File.exists(path) { try DatabaseCreation.create(path) }
        return try DatabaseLock(path)
    }

    /// Opens the file for the writer: checks version and damage, applies the settings, migrates, marks that a run has begun, and releases
    /// the leases of an earlier run.
    ///
    /// A failure leaves the log, which may contain data that the database needs. Before the checks have passed, nothing is written.
    /// - Parameter movesAgain: whether to move all pages of the log to the database again, although SQLite may have recorded them as moved.
    ///   SQLite loses that record only when no process has the database open, so none may.
    static func open(
        _ path: String, lock: DatabaseLock, movesAgain: Bool, settings: StoreSettings, random: any RandomNumberGenerator
    ) throws(StoreError) -> Opened {
        if movesAgain, let user = lock.otherUser { throw .isOpenElsewhere(path, user) }
        let hadLog = try StoreFiles.hasLog(path)
        let connection = try connect(path, settings: settings)
        do throws(StoreError) {
            try check(connection, path: path, hadLog: hadLog, settings: settings)
        } catch {
            // The log that this connection has created.
            if !hadLog { connection.removeLogOnClose() }
            throw error
        }
        let database = try explained(path) { () throws(SQLiteError) in
            try configure(connection, settings)
            try Migrations.run(on: connection)
            let database = try WritingDatabase(connection, settings: settings, random: random)
            try database.transaction { () throws(SQLiteError) in
                try database.touch()
                try database.releaseLeases()
            }
            // Now the database file itself has the mark of the run, which shows that it needs its log. This also proves that the disk
            // accepts pages. They are moved once no process reads the database.
            if try !database.moveLog() { database.noteForgotten() }
            return database
        }
        do throws(SystemError) {
            return Opened(database: database, files: try StoreFiles(path, database: lock.identity))
        } catch {
            throw .cannotOpen(path, error)
        }
    }

    /// Opens a connection. Closing it leaves the log, unless the connection is set to remove it.
    /// - Throws: also `corrupt` when the file is empty.
    static func connect(
        _ path: String, settings: StoreSettings, mode: OpenMode = .readWriteKeepingLog
    ) throws(StoreError) -> Connection {
        // SQLite would delete the log of an empty file.
        guard (try? FileSystem.size(of: path)) != 0 else { throw .empty(path) }
        return try explained(path) { () throws(SQLiteError) in
            let connection = try Connection(path: path, mode: mode)
            connection.setBusyTimeout(milliseconds: settings.busyTimeoutMilliseconds)
            return connection
        }
    }

    /// Opens the file for reading: the connection refuses to write. The writer must have opened it before.
    static func openForReading(_ path: String, _ settings: StoreSettings, until end: ReadingEnd) throws(StoreError) -> ReadingDatabase {
        let connection = try connect(path, settings: settings, mode: .readOnly)
        return try explained(path) { () throws(SQLiteError) in
            try ReadingDatabase(connection, until: end)
        }
    }

    /// Refuses a file without tables, and one written by a newer version.
    static func checkVersion(of connection: Connection, _ path: String) throws(StoreError) {
        let version = try explained(path) { () throws(SQLiteError) in try connection.userVersion() }
        guard version > 0 else { throw .empty(path) }
        guard version <= Migrations.latest else { throw .newer(path, version: version) }
    }

    static func wasClosed(_ connection: Connection) throws(SQLiteError) -> Bool {
        let statement = try Statement(connection, "SELECT closed FROM runs")
        defer { statement.reset() }
        guard try statement.step() else { return false }
        return try statement.int64(0) != 0
    }

    /// Runs `body` and adds the file's path to its errors.
    static func explained<Value>(_ path: String, _ body: () throws(SQLiteError) -> Value) throws(StoreError) -> Value {
        do throws(SQLiteError) {
            return try body()
        } catch {
            throw StoreError(error, about: path)
        }
    }

    private static func configure(_ connection: Connection, _ settings: StoreSettings) throws(SQLiteError) {
        try connection.useWriteAheadLog()
        try connection.setSynchronous(.full)
        try connection.overwriteDeleted()
        try connection.setCacheSize(kibibytes: 12_288)
        connection.leaveLogToCheckpoints()
        try connection.setLogSizeLimit(bytes: logBytesKept)
        if let bytes = settings.maximumFileBytes { try connection.setSizeLimit(pages: UInt32(clamping: max(1, bytes / pageBytes))) }
    }

    /// Checks the version. After a run that was not closed, also checks that the log exists and searches for damage, except in a file so
    /// large that the start would take long; such damage is reported when it is found later.
    private static func check(
        _ connection: Connection, path: String, hadLog: Bool, settings: StoreSettings
    ) throws(StoreError) {
        try checkVersion(of: connection, path)
        guard try !explained(path, { () throws(SQLiteError) in try wasClosed(connection) }) else { return }
        if (try? FileSystem.size(of: path)) ?? 0 <= settings.maximumCheckedBytes {
            let findings = try explained(path) { () throws(SQLiteError) in try connection.integrityCheck() }
            guard findings.isEmpty else { throw .damaged(path, findings) }
        }
        guard hadLog else { throw .withoutLog(path) }
    }
}
