internal import Core
internal import POSIX
internal import SQLite

/// Opening a store's file: what must be right before anything is accepted.
enum DatabaseFile {
    /// The size of a page, which SQLite gives new files.
    private static let pageBytes: UInt64 = 4096

    /// Takes the lock that keeps other processes, and other stores in this one, from working on the same queue.
    ///
    /// SQLite's own locks last for a transaction only, and leases need one owner.
    static func lock(_ path: String) throws(StoreError) -> FileLock {
        do throws(SystemError) {
            return try FileLock("\(path).lock")
        } catch {
            if error.isHeldElsewhere { throw .inUse(path) }
            throw StoreError(
                .unavailable,
                "cannot open \(path).lock: \(error); its directory must exist, and this user must be allowed to write there")
        }
    }

    /// Opens the file for the writer: settings, version, damage, migrations, the mark that a run has begun, and the end of leases that an
    /// earlier run has left.
    static func open(
        _ path: String, _ settings: StoreSettings, _ announcer: @escaping RegistryAnnouncer
    ) throws(StoreError) -> WritingDatabase {
        let (connection, version) = try explained(path) { () throws(SQLiteError) in
            let connection = try Connection(path: path, mode: .readWriteCreate)
            try configure(connection, settings)
            return (connection, try connection.userVersion())
        }
        guard version <= Migrations.latest else { throw .newer(path, version: version) }
        try check(connection, path, version, settings)
        return try explained(path) { () throws(SQLiteError) in
            try Migrations.run(on: connection)
            let database = try WritingDatabase(connection, settings: settings, announcer: announcer)
            try database.transaction { () throws(SQLiteError) in
                try database.touch()
                try database.releaseLeases()
            }
            return database
        }
    }

    /// Opens the file for reading, once the writer has prepared it.
    static func openForReading(_ path: String, _ settings: StoreSettings) throws(StoreError) -> ReadingDatabase {
        try explained(path) { () throws(SQLiteError) in
            let connection = try Connection(path: path, mode: .readOnly)
            connection.setBusyTimeout(milliseconds: settings.busyTimeoutMilliseconds)
            return try ReadingDatabase(connection)
        }
    }

    private static func configure(_ connection: Connection, _ settings: StoreSettings) throws(SQLiteError) {
        connection.setBusyTimeout(milliseconds: settings.busyTimeoutMilliseconds)
        try connection.useWriteAheadLog()
        try connection.setSynchronous(.full)
        try connection.overwriteDeleted()
        try connection.setCacheSize(kibibytes: 12_288)
        connection.leaveLogToCheckpoints()
        try connection.setLogSizeLimit(bytes: 128 << 20)
        if let bytes = settings.maximumFileBytes { try connection.setSizeLimit(pages: UInt32(clamping: max(1, bytes / pageBytes))) }
    }

    /// Looks for damage after a run that did not end by closing, unless the file is so large that the start would take long: damage that is
    /// met later is reported all the same.
    private static func check(
        _ connection: Connection, _ path: String, _ version: Int32, _ settings: StoreSettings
    ) throws(StoreError) {
        guard version > 0, (try? FileSystem.size(of: path)) ?? 0 <= settings.maximumCheckedBytes else { return }
        let findings = try explained(path) { () throws(SQLiteError) in
            try wasClosed(connection) ? [] : try connection.integrityCheck()
        }
        guard findings.isEmpty else { throw .damaged(path, findings) }
    }

    private static func wasClosed(_ connection: Connection) throws(SQLiteError) -> Bool {
        let statement = try Statement(connection, "SELECT closed FROM runs")
        defer { statement.reset() }
        guard try statement.step() else { return false }
        return try statement.int64(0) != 0
    }

    /// Runs `body`, whose errors then name the file.
    private static func explained<Value>(_ path: String, _ body: () throws(SQLiteError) -> Value) throws(StoreError) -> Value {
        do throws(SQLiteError) {
            return try body()
        } catch {
            let explained = StoreError(error)
            throw explained.description.contains(path) ? explained : StoreError(explained.kind, "\(path): \(explained.description)")
        }
    }
}
