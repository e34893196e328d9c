internal import Core
internal import POSIX
internal import SQLite

extension StoreError {
    init(_ error: SQLiteError) {
        self.init(Self.kind(of: error), error.cause, remedy: error.remedy)
    }

    /// Like `init(_:)`, but with the file's path.
    init(_ error: SQLiteError, about path: String) {
        let cause = error.cause.contains(path) ? error.cause : "\(path): \(error.cause)"
        let rights = error.isCannotOpen || error.isReadOnly ? Process.rightsInForce.map { "tried \($0)" } : nil
        let remedy = [error.remedy, rights].compactMap { $0 }.joined(separator: "; ")
        self.init(Self.kind(of: error), cause, remedy: remedy.isEmpty ? nil : remedy)
    }

    private static func kind(of error: SQLiteError) -> Kind {
        if error.isFull { return .diskFull }
        // A value of an impossible type or form also means damage.
        return error.isCorrupt || error.primaryCode == mismatch ? .corrupt : .unavailable
    }

    private static let mismatch: Int32 = 20

    /// The disk rejected pages of the database. They are still in the log as long as nothing is appended to it: SQLite may restart a log
    /// whose pages it considers moved.
    static func notKept(_ error: SQLiteError) -> StoreError {
        StoreError(
            .notOpen,
            "the disk failed to write the database: \(error.cause). Nothing is lost: all of it is written again when the "
                + "database is opened the next time", remedy: error.remedy ?? "look at the disk")
    }

    /// The run could not be marked as closed.
    static func notClosed(_ path: String, _ error: SQLiteError) -> StoreError {
        StoreError(
            kind(of: error),
            "\(path) could not be marked as closed: \(error.cause)",
            remedy: [error.remedy, "nothing is lost: leave its log (\(path)-wal) beside it, and the next start continues with both"]
                .compactMap(\.self).joined(separator: "; "))
    }

    static let tooManyCalls = StoreError(
        .unavailable, "too many calls wait for the disk", remedy: "check whether it is slow or hangs")

    static let abandoned = StoreError(
        .unavailable, "the caller was answered before the disk took it, so that it was not stored",
        remedy: "check whether the disk is slow or hangs")

    /// - Parameter milliseconds: the maximum response time of the disk.
    static func hangs(_ milliseconds: UInt64) -> StoreError {
        StoreError(
            .unavailable, "the disk that holds the store has not answered for more than \(milliseconds / 1000) seconds",
            remedy: "check its activity")
    }

    /// - Parameters:
    ///   - pages: the maximum length of the log, in pages of 4 KiB.
    ///   - reader: another process that has the database open, if there is one.
    static func longLog(pages: Int, reader: String?) -> StoreError {
        StoreError(
            .unavailable,
            "the database's log has grown beyond \(pages / 256) MiB and nothing new is accepted, because "
                + "\(reader ?? "a connection") reads the database for too long",
            remedy: "stop that reader, and the log gets shorter")
    }

    static func freeSpace(_ bytes: UInt64) -> StoreError {
        StoreError(.diskFull, "fewer than \(bytes) bytes are free on the disk that holds the store", remedy: "free space there")
    }

    static func newer(_ path: String, version: Int32) -> StoreError {
        StoreError(
            .corrupt, "\(path) was written by a newer version (schema \(version), this one supports \(Migrations.latest))",
            remedy: "run that version")
    }

    /// - Parameter process: the process that has the file open; nil when unknown.
    static func inUse(_ path: String, by process: Int32?) -> StoreError {
        // If an operator starts a second service by hand, the remedy must not be to stop the running one.
        let isOurs = process.flatMap { Process.isOfThisProgram($0) } == true
        return StoreError(
            .unavailable, "\(path) is used by \(process.map { holder($0) } ?? "another process")",
            remedy: (isOurs ? "if that is the service, it already runs; otherwise " : "")
                + "stop it, or set another path",
            isForOwner: true)
    }

    static func holder(_ process: Int32) -> String {
        "process \(process)" + (Process.name(of: process).map { " (\($0))" } ?? "")
    }

    static func cannotOpen(_ path: String, _ error: SystemError) -> StoreError {
        let isUnwritable = error.isForbidden && File.exists(path) && !FileSystem.isWritable(path)
        return StoreError(
            .unavailable, "cannot open \(path): \(error)",
            remedy: isUnwritable ? Process.remedy(ofUnwritable: path) : "this user must be allowed to write it and its directory")
    }

    static func cannotCreate(_ path: String, _ error: SystemError) -> StoreError {
        StoreError(
            .unavailable, "cannot create \(path): \(error)",
            remedy: "its directory must exist, and this user must be allowed to write there")
    }

    static func isOpenElsewhere(_ path: String, _ user: String) -> StoreError {
        StoreError(
            .unavailable, "\(path) must not be opened by others while its log is moved again, but \(user) has it open",
            remedy: "stop that process")
    }

    static func empty(
        _ path: String, remedy: String = "restore a backup (deskgate store restore), or remove the file to begin with an empty store"
    ) -> StoreError {
        let isDevice = File.exists(path) && !FileSystem.isFile(path)
        return StoreError(.corrupt, "\(path) has no tables", remedy: isDevice ? "it is no file; name one in store.path" : remedy)
    }

    static func withoutLog(_ path: String) -> StoreError {
        StoreError(
            .corrupt,
            "\(path) was copied or moved while a service used it, or its log (-wal) was removed: the log's contents are missing",
            remedy: "restore a backup, or continue without the log: deskgate store restore --as-is \(path)")
    }

    static func withoutDatabase(_ path: String) -> StoreError {
        StoreError(
            .corrupt,
            "there is no \(path), but its log (\(path)-wal)",
            remedy: "put the database back, or restore a backup (deskgate store restore)")
    }

    static func damaged(
        _ path: String, _ findings: [String], remedy: String = "stop the service and restore a backup (deskgate store restore)"
    ) -> StoreError {
        // A finding may begin with a line that contains the database's name; the message already contains the path.
        let finding = findings[0].split(separator: "\n").first { !$0.hasPrefix("***") } ?? "unreadable"
        return StoreError(
            .corrupt,
            "\(path) is damaged: \(finding)", remedy: "\(remedy), or save the data that `sqlite3 FILE .recover` can still read")
    }
}
