extension Connection {
    /// Runs one statement; outside of `transaction` it commits by itself.
    /// - Throws: why it failed; nothing of it has happened then, unless `commitIsInDoubt`.
    @discardableResult
    package func run(_ query: Query, by deadline: Deadline) throws(PostgresError) -> Rows {
        try pipeline([query], by: deadline)[0]
    }

    /// Runs statements in one round trip. Outside of `transaction` they are one transaction: all of them commit, or none.
    /// - Returns: a result for each.
    /// - Throws: the first error, with its `queryIndex`; the server runs none of the statements after it, and nothing has happened of those
    ///   before, unless `commitIsInDoubt`. In `transaction` nothing more can run.
    @discardableResult
    package func pipeline(_ queries: [Query], by deadline: Deadline) throws(PostgresError) -> [Rows] {
        try pipeline(queries, changing: true, by: deadline)
    }

    /// Runs a statement that changes nothing, which the caller promises: losing the connection leaves nothing in doubt, and it can be tried
    /// again.
    package func read(_ query: Query, by deadline: Deadline) throws(PostgresError) -> Rows {
        try pipeline([query], changing: false, by: deadline)[0]
    }

    /// Runs statements in one round trip.
    /// - Parameter isChanging: whether something is committed at its end when no transaction is open.
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
        // Statements may warn of what they like; only the commit's own warning counts.
        if let warning = notices.first(where: { $0.isUnreplicatedCommit }) { throw PostgresError(unreplicated: warning) }
        return rows
    }
}

extension PostgresError {
    /// The error of a pipeline that was sent with statements of ours before or after the caller's.
    func movingIndex(by offset: Int) -> PostgresError {
        var error = self
        error.queryIndex = queryIndex.flatMap { $0 + offset >= 0 ? $0 + offset : nil }
        return error
    }

    /// The error of a commit that took effect, though its standby may not have it.
    init(unreplicated warning: Notice) {
        self.init(.notReplicated, warning.message, sqlState: warning.sqlState, commitIsInDoubt: true)
    }
}
