internal import CSQLite

extension Connection {
    /// Runs `body` in a transaction that has the write lock from its start, and commits it.
    ///
    /// Transactions do not nest: use `savepoint` inside. A failure of `body` or of the commit rolls everything back.
    /// - Throws: what `body` throws, or why the transaction could not begin or commit.
    package func transaction<Result>(_ body: () throws(SQLiteError) -> Result) throws(SQLiteError) -> Result {
        precondition(!isInTransaction, "a transaction is open already")
        try execute(dynamic: "BEGIN IMMEDIATE")
        isInTransactionBody = true
        defer { isInTransactionBody = false }
        return try attempt(body, finish: "COMMIT", undo: "ROLLBACK")
    }

    /// Runs `body` so that its changes can be undone alone; they become durable with the transaction around it.
    ///
    /// Call it inside `transaction`; savepoints nest. A failure of `body` undoes what it did, and leaves the transaction open for more, unless
    /// SQLite had to roll that back as a whole (a full disk, for one): then every later statement in it fails too.
    /// - Throws: what `body` throws, or why the savepoint could not be made or kept.
    package func savepoint<Result>(_ body: () throws(SQLiteError) -> Result) throws(SQLiteError) -> Result {
        precondition(isInTransactionBody, "a savepoint needs a transaction around it")
        try execute(dynamic: "SAVEPOINT level")
        return try attempt(body, finish: "RELEASE level", undo: "ROLLBACK TO level; RELEASE level")
    }

    /// Whether a transaction is open; SQLite ends one itself after some failures.
    package var isInTransaction: Bool { unsafe sqlite3_get_autocommit(database) == 0 }

    /// Throws when SQLite rolled the running transaction back, because a statement would now commit on its own.
    func checkTransactionStands() throws(SQLiteError) {
        if isInTransactionBody, !isInTransaction { throw SQLiteError(code: Int32(DESKGATE_SQLITE_ABORT_ROLLBACK)) }
    }

    private func attempt<Result>(
        _ body: () throws(SQLiteError) -> Result, finish: String, undo: String
    ) throws(SQLiteError) -> Result {
        do throws(SQLiteError) {
            let result = try body()
            try execute(dynamic: finish)
            return result
        } catch {
            // The first error is the one that explains; a rollback itself has nothing to add, and always ends the transaction.
            if isInTransaction { try? execute(dynamic: undo) }
            throw error
        }
    }
}
