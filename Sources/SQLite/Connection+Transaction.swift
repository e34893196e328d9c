internal import CSQLite

extension Connection {
    /// Runs `body` in a transaction that has the write lock from its start, and commits it.
    ///
    /// Transactions do not nest. A failure of `body` or of the commit rolls everything back.
    /// - Throws: what `body` throws, or why the transaction could not begin or commit.
    package func transaction<Result>(_ body: () throws(SQLiteError) -> Result) throws(SQLiteError) -> Result {
        precondition(!isInTransaction, "a transaction is open already")
        try execute(dynamic: "BEGIN IMMEDIATE")
        isInTransactionBody = true
        defer { isInTransactionBody = false }
        do throws(SQLiteError) {
            let result = try body()
            try execute(dynamic: "COMMIT")
            return result
        } catch {
            // The first error is the one that explains; a rollback itself has nothing to add, and always ends the transaction.
            if isInTransaction { try? execute(dynamic: "ROLLBACK") }
            throw error
        }
    }

    /// Whether a transaction is open; SQLite ends one itself after some failures.
    package var isInTransaction: Bool { unsafe sqlite3_get_autocommit(database) == 0 }

    /// Throws when SQLite rolled the running transaction back, because a statement would now commit on its own.
    func checkTransactionStands() throws(SQLiteError) {
        if isInTransactionBody, !isInTransaction { throw SQLiteError(code: Int32(DESKGATE_SQLITE_ABORT_ROLLBACK)) }
    }
}
