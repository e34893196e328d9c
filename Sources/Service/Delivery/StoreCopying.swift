package import Configuration
package import Core
internal import Storage

extension Configuration.Store {
    /// Whether both a SQLite file and a PostgreSQL database are configured, which copying needs.
    package var namesBoth: Bool { copy != nil }

    /// Copies the SQLite store into the PostgreSQL database or back, with `StoreCopy`, whichever of the two is in use.
    /// - Parameters:
    ///   - toPostgres: the direction.
    ///   - beginsAnew: whether the rows of an unfinished copy are removed first.
    ///   - observe: called after each transaction.
    /// - Throws: the reason why nothing, or not everything, was copied, with the remedy.
    package func copy(
        toPostgres: Bool, beginsAnew: Bool, observe: (StoreCopyProgress) -> Void
    ) throws(StoreError) -> StoreCopyReport {
        guard var copy else {
            throw StoreError(.unavailable, "the configuration must name both stores, store.path and store.url")
        }
        copy.beginsAnew = beginsAnew
        return toPostgres
            ? try copy.toPostgres { progress throws(StoreError) in observe(progress) }
            : try copy.toSQLite { progress throws(StoreError) in observe(progress) }
    }

    private var copy: StoreCopy? {
        switch (kind, other) {
        case (.sqlite(let path), .postgres(let address)), (.postgres(let address), .sqlite(let path)):
            StoreCopy(path: path, address: address)
        default: nil
        }
    }
}
