internal import Core
internal import POSIX

/// The operator's remedies for files of an open store that were moved, removed or replaced.
extension StoreError {
    /// The database was renamed, or another file has its name. All data is in the database.
    static func moved(_ path: String, isReplaced: Bool) -> StoreError {
        StoreError(
            .unavailable, "the database \(path) was moved, removed or replaced while it is in use, and nothing is accepted",
            remedy: isReplaced
                ? "put it back, or restart to continue with the file that is there"
                : "put it back before you restart: a start would not find it")
    }

    static func noStore(_ path: String, remedy: String? = nil) -> StoreError {
        StoreError(.unavailable, "there is no store at \(path)", remedy: remedy)
    }

    /// A restored store could not be moved to its path, and the former store could not be moved back.
    static func halfReplaced(_ path: String, former: String, error: SystemError, second: SystemError) -> StoreError {
        StoreError(
            .unavailable,
            "\(path) could not be replaced (\(error)), and the former store could not be put back (\(second))",
            remedy: "before the service starts, rename \(former) and \(former)-wal, if they exist, to their names without .before-")
    }

    static func cannotActAsOwner(of path: String, _ error: SystemError) -> StoreError {
        StoreError(.unavailable, Process.cannotActAsOwner(of: path, error))
    }

    static func exists(_ path: String) -> StoreError {
        StoreError(.unavailable, "\(path) exists already", remedy: "name a file that does not")
    }

    /// The database was unlinked, and saved to another file.
    static func saved(to path: String) -> StoreError {
        StoreError(
            .unavailable,
            "the database was moved, removed or replaced while it is in use, and nothing is accepted",
            remedy: "all data was saved: \(StoreFile.restoration(of: path))")
    }

    /// The log or the index was removed. All data is in the database.
    static func lost(_ path: String) -> StoreError {
        StoreError(.notOpen, "\(path) was removed while it is in use", remedy: "nothing is lost, and the database is opened again")
    }

    /// The log or the index was replaced by another file. All data is in the database, but the next program that opens it would read the
    /// other file.
    static func replaced(_ path: String) -> StoreError {
        StoreError(
            .unavailable,
            "\(path) was replaced while it is in use, and nothing is accepted",
            remedy: "all data is in the database: stop the service, remove that file, then start again")
    }

    /// A file of the store is missing, and accepted data could not be saved yet.
    static func notSaved(_ path: String, _ error: StoreError) -> StoreError {
        StoreError(
            .unavailable,
            "\(path) was moved, removed or replaced while it is in use, and its data could not be saved yet (\(error.cause))",
            remedy: "do not stop the service: put the file back" + (error.remedy.map { ", or: \($0)" } ?? ""))
    }
}
