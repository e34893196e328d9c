internal import Core

/// What an operator does when files of an open store are not where they were.
extension StoreError {
    /// The database has another name by now, or another file has its name; everything is in the database.
    static let moved = StoreError(
        .unavailable,
        "the database was moved, removed or replaced while it is in use, and nothing is accepted; put it back, or restart to go on with what "
            + "lies there")

    static func noStore(_ path: String) -> StoreError {
        StoreError(.unavailable, "there is no store at \(path)")
    }

    static func exists(_ path: String) -> StoreError {
        StoreError(.unavailable, "\(path) exists already; name a file that does not")
    }

    /// The database has no name any more.
    static func saved(to path: String) -> StoreError {
        StoreError(
            .unavailable,
            "the database was moved, removed or replaced while it is in use, and nothing is accepted; all of it was saved: stop the service, then "
                + "deskgate store restore \(path)")
    }

    /// The database has its log or its index no more; everything is in the database.
    static func lost(_ path: String) -> StoreError {
        StoreError(.notOpen, "\(path) was removed while it is in use; nothing is lost, and the database is opened anew")
    }

    /// Another file lies where the log or the index did; everything is in the database, but its next user would read the other file.
    static func replaced(_ path: String) -> StoreError {
        StoreError(
            .unavailable,
            "\(path) was replaced while it is in use, and nothing is accepted; everything is in the database: stop the service, remove that file, "
                + "then start again")
    }

    /// What was accepted could not be saved yet.
    static func notSaved(_ path: String, _ error: StoreError) -> StoreError {
        StoreError(
            .unavailable,
            "\(path) was moved, removed or replaced while it is in use, and what it held could not be saved yet (\(error)): do not end the "
                + "service, put the file back or mend that")
    }
}
