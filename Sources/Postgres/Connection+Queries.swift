extension Connection {
    /// Runs one statement. Outside of `transaction` the statement is a transaction of its own.
    /// - Throws: the reason of the failure. The statement had no effect then, unless `commitIsInDoubt` is set.
    @discardableResult
    package func run(_ query: Query, by deadline: Deadline) throws(PostgresError) -> Rows {
        try pipeline([query], by: deadline)[0]
    }

    /// Runs statements in one round trip. Outside of `transaction` they form one transaction: either all of them commit, or none of them.
    /// - Returns: the result of each statement.
    /// - Throws: the first error, with its `queryIndex`. The server skips the later statements, and rolls back the earlier ones unless
    ///   `commitIsInDoubt` is set. Inside `transaction`, no further statements can run.
    @discardableResult
    package func pipeline(_ queries: [Query], by deadline: Deadline) throws(PostgresError) -> [Rows] {
        try pipeline(queries, changing: true, by: deadline)
    }

    /// Runs a statement that the caller guarantees to be read-only: after a loss of the connection nothing is in doubt, and the statement
    /// can be retried.
    package func read(_ query: Query, by deadline: Deadline) throws(PostgresError) -> Rows {
        try pipeline([query], changing: false, by: deadline)[0]
    }

    /// Runs statements in one round trip.
    /// - Parameter isChanging: whether the round trip commits changes when no transaction is open.
    private func pipeline(_ queries: [Query], changing isChanging: Bool, by deadline: Deadline) throws(PostgresError) -> [Rows] {
        precondition(!queries.isEmpty, "a pipeline has a statement")
        switch phase {
        case .none: return try runAlone(queries, isChanging, by: deadline)
        case .beginning(let begin):
            phase = .open
            do throws(PostgresError) {
                return Array(try roundTrip([begin] + queries, commits: false, by: deadline).rows.dropFirst())
            } catch {
                throw error.movingIndex(by: -1)
            }
        case .open: return try roundTrip(queries, commits: false, by: deadline).rows
        case .ended: preconditionFailure("the transaction has been committed already")
        }
    }

    private func runAlone(_ queries: [Query], _ isChanging: Bool, by deadline: Deadline) throws(PostgresError) -> [Rows] {
        let (rows, notices) = try roundTrip(queries, commits: isChanging, by: deadline)
        // Ignores other warnings, which the statements themselves may raise. Only a warning of the commit is an error.
        if let warning = notices.first(where: { $0.isUnreplicatedCommit }) { throw PostgresError(unreplicated: warning) }
        return rows
    }
}

extension PostgresError {
    /// Returns the error of a pipeline in which internal statements preceded or followed the caller's.
    func movingIndex(by offset: Int) -> PostgresError {
        var error = self
        error.queryIndex = queryIndex.flatMap { $0 + offset >= 0 ? $0 + offset : nil }
        return error
    }

    /// The error of a commit that took effect, although the standby may not have it.
    init(unreplicated warning: Notice) {
        self.init(.notReplicated, warning.message, sqlState: warning.sqlState, commitIsInDoubt: true)
    }
}
