internal import Core

/// The reasons why a copy of a store cannot begin or was not completed, with the remedies.
extension StoreError {
    static let copyTargetNotEmpty = StoreError(
        .unavailable, "the PostgreSQL database holds a store already",
        remedy: "name an empty database, or another schema (search_path)")

    static let copyOfOther = StoreError(
        .unavailable,
        "the PostgreSQL database holds an unfinished copy of another store, or its source was used since",
        remedy: "--anew empties it and begins again")

    static let copySourceUnfinished = StoreError(
        .unavailable, "the PostgreSQL database itself holds an unfinished copy",
        remedy: "complete it first: deskgate store copy --to postgres")

    static let copySourceChanged = StoreError(
        .unavailable, "a service has used the source while it was copied", remedy: "stop all services, then begin again with --anew")

    /// Rows that the last transaction of a killed command may have added: the server may commit it after the command has ended.
    static func copyOverlaps(_ table: String) -> StoreError {
        StoreError(
            .unavailable, "rows of \(table) have arrived from elsewhere, perhaps from a command that was killed just now",
            remedy: "run it again")
    }

    static func copyTargetExists(_ path: String) -> StoreError {
        StoreError(.unavailable, "\(path) exists already", remedy: "move it away, or name another store.path")
    }

    static func copyOfOther(_ file: String) -> StoreError {
        StoreError(
            .unavailable,
            "\(file) is an unfinished copy of another store, or its source was used since",
            remedy: "--anew removes it and begins again")
    }

    static func copyDiffers(_ table: String, source: Int, target: Int) -> StoreError {
        StoreError(
            .corrupt,
            "the copy is not complete: \(table) has \(source) rows at the source and \(target) at the target; something else has changed one of them",
            remedy: "begin again with --anew")
    }
}
