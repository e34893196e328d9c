internal import Core

/// The reasons why a copy of a store cannot begin or was not completed, with the remedies.
extension StoreError {
    static let copyTargetNotEmpty = StoreError(
        .unavailable, "the PostgreSQL database already contains a store",
        remedy: "use an empty database, or another schema (search_path)")

    static let copyOfOther = StoreError(
        .unavailable,
        "the PostgreSQL database contains an unfinished copy of another store, or a service has used the source since",
        remedy: "to empty the database and start again, use --anew")

    static let copySourceUnfinished = StoreError(
        .unavailable, "the PostgreSQL database is itself an unfinished copy",
        remedy: "complete it first: deskgate store copy --to postgres")

    static let copySourceChanged = StoreError(
        .unavailable, "a service has used the source while it was copied", remedy: "stop all services, then start again with --anew")

    /// Rows that the last transaction of a killed command may have added: the server may commit it after the command has ended.
    static func copyOverlaps(_ table: String) -> StoreError {
        StoreError(
            .unavailable, "another process has written rows of \(table), perhaps a copy command that was just killed",
            remedy: "run the command again")
    }

    static func copyTargetExists(_ path: String) -> StoreError {
        StoreError(.unavailable, "\(path) exists already", remedy: "move it away, or name another store.path")
    }

    static func copyOfOther(_ file: String) -> StoreError {
        StoreError(
            .unavailable,
            "\(file) is an unfinished copy of another store, or a service has used the source since",
            remedy: "to remove the file and start again, use --anew")
    }

    static func copyDiffers(_ table: String, source: Int, target: Int) -> StoreError {
        StoreError(
            .corrupt,
            "the copy is not complete: \(table) has \(source) rows at the source and \(target) at the target; something else has changed one of them",
            remedy: "start again with --anew")
    }
}
