internal import Core
internal import SQLite

extension StoreError {
    /// What an error of SQLite means to whoever uses the store.
    init(_ error: SQLiteError) {
        self.init(Self.kind(of: error), error.description)
    }

    private static func kind(of error: SQLiteError) -> Kind {
        if error.isFull { return .diskFull }
        // A value of an impossible type or form is damage as well.
        return error.isCorrupt || error.primaryCode == mismatch ? .corrupt : .unavailable
    }

    /// SQLITE_MISMATCH.
    private static let mismatch: Int32 = 20

    /// What the disk did not take is still in the log, and nothing may be added to it: it could not be emptied any more.
    static func notKept(_ error: SQLiteError) -> StoreError {
        StoreError(
            .corrupt,
            "the disk did not take what was written to the database (\(error)); nothing is lost, but look at the disk, then start again: nothing "
                + "more is accepted until then")
    }

    static let missing = StoreError(
        .unavailable,
        "the database was moved, removed or replaced while it is in use; put it back, or restart to go on with what lies there")

    static let tooManyCalls = StoreError(
        .unavailable, "too many calls wait for the disk; see whether it is slow or hangs")

    static let abandoned = StoreError(
        .unavailable, "the caller was answered before the disk took it, so that it was not stored; see whether the disk is slow or hangs")

    static func freeSpace(_ bytes: UInt64) -> StoreError {
        StoreError(.diskFull, "fewer than \(bytes) bytes are free on the disk that holds the store; free space there")
    }

    static func newer(_ path: String, version: Int32) -> StoreError {
        StoreError(
            .corrupt, "\(path) was written by a newer version (schema \(version), this one knows \(Migrations.latest)); run that version")
    }

    static func inUse(_ path: String) -> StoreError {
        StoreError(.unavailable, "\(path) is used by another process; stop it, or name another path")
    }

    static func damaged(_ path: String, _ findings: [String]) -> StoreError {
        // A finding may begin with a line that names the database, which is the file's path already.
        let finding = findings[0].split(separator: "\n").first { !$0.hasPrefix("***") } ?? "unreadable"
        return StoreError(
            .corrupt,
            "\(path) is damaged: \(finding); restore it from a backup, or save what `sqlite3 FILE .recover` still finds")
    }
}
