package import Core
internal import POSIX
internal import SQLite
package import Time

/// The operator's commands for a store's file: check, back up, restore.
package enum StoreFile {
    /// Checks whether a service could open the file, without searching it for damage. Another process may have it open.
    /// - Throws: the reason why a service could not open it, with the remedy. A missing file is no error.
    package static func check(_ path: String) throws(StoreError) {
        guard File.exists(path) else { return }
        try read(path) { _ in }
    }

    /// Returns the error that the file is in use, if a service, or a command that works on its behalf, has it open as a store; nil
    /// otherwise.
    /// Do not call it while this process reads the file: that would drop the reader's locks.
    package static func conflict(at path: String) -> StoreError? { DatabaseLock.conflict(at: path) }

    /// Searches an existing file for damage. Reads the whole file. Another process may have it open.
    /// - Returns: the damage found; empty for none.
    /// - Throws: when it could not be opened or searched.
    package static func damage(_ path: String) throws(StoreError) -> [String] {
        try read(path) { connection throws(StoreError) in
            try DatabaseFile.explained(path) { () throws(SQLiteError) in try connection.integrityCheck() }
        }
    }

    /// Returns the state of the file, without searching it for damage. Another process may have it open.
    /// - Throws: when there is no store, or it could not be opened.
    package static func report(_ path: String) throws(StoreError) -> StoreReport {
        guard File.exists(path) else { throw .noStore(path, remedy: "the first start creates it, if store.path is correct") }
        let version = try read(path) { connection throws(StoreError) in
            try DatabaseFile.explained(path) { () throws(SQLiteError) in try connection.userVersion() }
        }
        let directory = Path.directory(of: path)
        let base = String(path.split(separator: "/").last ?? "")
        let beside = FileSystem.names(in: directory).filter { name in [formerMark, rescueMark].contains { name.hasPrefix(base + $0) } }
        return StoreReport(
            place: path, version: Int(version), latest: Int(Migrations.latest),
            parts: parts(StoreFiles.File.allCases.map { path + $0.suffix }),
            beside: parts(beside.map { path + $0.dropFirst(base.count) }), freeBytes: try? FileSystem.freeBytes(at: directory), server: nil)
    }

    private static func parts(_ paths: [String]) -> [StoreReport.Part] {
        paths.compactMap { path in
            (try? FileSystem.size(of: path)).map { StoreReport.Part(name: path, bytes: $0, rows: nil, deadRows: nil) }
        }.sorted { $0.bytes > $1.bytes }
    }

    /// Writes a consistent copy of a store to a new file with mode 0600. A service may have the store open and is not interrupted.
    /// - Throws: when there is no store or no free space, or the new file exists. In that case no file is left behind.
    package static func backUp(_ path: String, to copy: String) throws(StoreError) {
        guard File.exists(path) else { throw .noStore(path) }
        guard !File.exists(copy) else { throw .exists(copy) }
        try read(path) { _ throws(StoreError) in
            // Root runs the copy with its own rights, and the store's owner may own the directory. A connection that may write would roll
            // back a journal that the owner puts beside the store meanwhile, and would thereby delete a file that the journal names.
            let reader = try DatabaseFile.connect(path, settings: StoreSettings(), mode: .readOnly)
            try DatabaseCopy.write(reader, of: path, to: copy, asOwnerOf: copy)
        }
    }

    /// Replaces the store at a path, which no service may have open, by a backup.
    ///
    /// The former store and its log are kept beside it under another name. A loss of power at any moment leaves the former store, the new
    /// store, or one that the service rejects at startup and that can be restored again. If a step fails after the former store was
    /// renamed, the steps are undone.
    /// - Parameters:
    ///     - backup: a store that was closed or backed up; it is checked for damage first.
    ///     - asItIs: whether to accept a backup whose log is missing.
    /// - Returns: the path of the former store; nil when there was none.
    /// - Throws: when the backup cannot be used or the store is in use; then nothing was changed.
    package static func restore(_ backup: String, to path: String, asItIs: Bool) throws(StoreError) -> String? {
        guard File.exists(backup) else { throw .noStore(backup) }
        guard (try? FileSystem.size(of: backup)) != 0 else { throw .empty(backup, remedy: "it is no backup: name another file") }
        return try asOwner(of: path) { () throws(StoreError) in try restoreAsOwner(backup, to: path, asItIs: asItIs) }
    }

    private static func restoreAsOwner(_ backup: String, to path: String, asItIs: Bool) throws(StoreError) -> String? {
        let exists = File.exists(path)
        // The lock is held until the end, so that a service that waits for it opens the new store.
        let lock = exists ? try DatabaseLock(path) : nil
        defer { withExtendedLifetime(lock) {} }
        if let user = lock?.otherUser { throw .isOpenElsewhere(path, user) }
        let draft = "\(path).restored-\(Process.identifier)"
        try? File.remove(draft)
        try read(backup, asItIs: asItIs) { connection throws(StoreError) in
            let findings = try DatabaseFile.explained(backup) { () throws(SQLiteError) in try connection.integrityCheck() }
            guard findings.isEmpty else { throw .damaged(backup, findings, remedy: "restore another backup") }
            try DatabaseCopy.write(connection, of: backup, to: draft, asOwnerOf: path)
        }
        defer { try? File.remove(draft) }
        let former = formerPath(for: path, at: SystemClock.unixSeconds())
        try replace(path, by: draft, exists: exists, former: former)
        return exists ? former : nil
    }

    private static let formerMark = ".before-"
    private static let rescueMark = ".rescued-"

    /// The free path to which a restore moves the former store: with a later second where an earlier restore has taken the name.
    private static func formerPath(for path: String, at time: UnixSeconds) -> String {
        let former = "\(path)\(formerMark)\(time)"
        let isTaken = [former, former + StoreFiles.File.log.suffix].contains(where: File.exists)
        return isTaken ? formerPath(for: path, at: time + 1) : former
    }

    /// The path to which a service saves a database that is removed while it is open.
    static func rescuePath(for path: String, at time: UnixSeconds) -> String { "\(path)\(rescueMark)\(time)" }

    /// Describes how to restore a database that a service saved. That service may still have the removed database open, and accepts
    /// nothing.
    package static func restoration(of rescue: String) -> String {
        "stop the service, then deskgate store restore \(ShellWord.quoted(rescue))"
    }

    /// The file to which a service saved the database when it was removed, and the time; the newest file if there are several.
    package static func rescued(from path: String) -> (path: String, time: UnixSeconds)? {
        let start = "\(path.split(separator: "/").last ?? "")\(rescueMark)"
        let names = FileSystem.names(in: Path.directory(of: path)).filter { $0.hasPrefix(start) }
        let times = names.compactMap { UInt64($0.dropFirst(start.count)) }.filter { $0 <= RFC3339.latest }
        return times.max().map { (rescuePath(for: path, at: UnixSeconds(rawValue: $0)), UnixSeconds(rawValue: $0)) }
    }

    /// Calls `body` with a store opened for reading with the rights of the path's owner, and leaves no files behind. Another process may
    /// have it open.
    static func read<Value>(
        _ path: String, asItIs: Bool = false, _ body: (Connection) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        try asOwner(of: path) { () throws(StoreError) in
            let (connection, hadLog) = try open(path, asItIs: asItIs)
            defer { if !hadLog { removeOwnLog(connection) } }
            return try body(connection)
        }
    }

    /// Runs `body` with the rights of a path's owner if root runs the command; see `Process.asOwner`.
    package static func asOwner<Value>(of path: String, _ body: () throws(StoreError) -> Value) throws(StoreError) -> Value {
        try Process.asOwner(of: path, orThrow: { StoreError.cannotActAsOwner(of: path, $0) }, body)
    }

    /// Removes the log that a connection created when it opened the file, unless a service has written to it meanwhile. This connection may
    /// be the last one because the service was killed; then the service may need the log.
    private static func removeOwnLog(_ connection: Connection) {
        if (try? connection.logBytes()) == 0 { connection.removeLogOnClose() }
    }

    private static func open(_ path: String, asItIs: Bool) throws(StoreError) -> (connection: Connection, hadLog: Bool) {
        let hasLog = try StoreFiles.hasLog(path)
        do throws(StoreError) {
            return (try open(path, hasLog: hasLog, asItIs: asItIs), hasLog)
        } catch {
            // The log may be gone by now: the service may have closed the store.
            guard hasLog, try !StoreFiles.hasLog(path) else { throw error }
            return (try open(path, hasLog: false, asItIs: asItIs), false)
        }
    }

    private static func open(_ path: String, hasLog: Bool, asItIs: Bool) throws(StoreError) -> Connection {
        // A read-only connection would leave an empty log behind.
        let connection = try DatabaseFile.connect(path, settings: StoreSettings(), mode: hasLog ? .readOnly : .readWriteKeepingLog)
        do throws(StoreError) {
            try DatabaseFile.checkVersion(of: connection, path)
            let isWhole = try DatabaseFile.explained(path) { () throws(SQLiteError) in
                if try DatabaseFile.wasClosed(connection) { return true }
                // A service may have begun a run, and so the log, since the file was opened.
                return try connection.logBytes() > 0
            }
            guard isWhole || asItIs else { throw .withoutLog(path) }
            return connection
        } catch {
            if !hasLog { removeOwnLog(connection) }
            throw error
        }
    }
}
