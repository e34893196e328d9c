package enum Isolation: Sendable {
    /// Each statement sees all transactions that were committed before the statement began.
    case readCommitted
    /// All statements see the transactions that were committed before the first statement.
    case repeatableRead
    /// Transactions behave as if they ran one after another.
    case serializable
    /// `repeatableRead` in which the server rejects any change. It does not wait for writers.
    case readOnly

    var begin: Query {
        switch self {
        case .readCommitted: Query("BEGIN ISOLATION LEVEL READ COMMITTED")
        case .repeatableRead: Query("BEGIN ISOLATION LEVEL REPEATABLE READ")
        case .serializable: Query("BEGIN ISOLATION LEVEL SERIALIZABLE")
        case .readOnly: Query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        }
    }
}

extension Connection {
    /// Runs `body` in a transaction, and commits it unless `body` has already called `commit`. Transactions do not nest.
    ///
    /// BEGIN is sent with the first statement and costs no extra round trip. When this method returns, the transaction is committed. When
    /// it throws, the transaction is not committed, unless the error's `commitIsInDoubt` is set; then the outcome is unknown.
    /// - Throws: the error of `body`, after a rollback, or the reason why the commit failed.
    package func transaction<Result>(
        _ isolation: Isolation = .readCommitted, by deadline: Deadline, _ body: () throws(PostgresError) -> Result
    ) throws(PostgresError) -> Result {
        guard case .none = phase else { preconditionFailure("a transaction is open already") }
        phase = .beginning(isolation.begin)
        defer { phase = .none }
        do throws(PostgresError) {
            let result = try body()
            switch phase {
            case .open: try commit(by: deadline)
            case .ended(let error?): throw error
            case .none, .beginning, .ended(nil): break
            }
            return result
        } catch {
            rollBack(by: deadline)
            throw error
        }
    }

    /// Commits the transaction, in one round trip with its last statements. `body` cannot run statements afterwards.
    /// - Returns: the result of each statement.
    /// - Throws: the reason why the commit failed, or an error with `commitIsInDoubt` when the outcome is unknown.
    @discardableResult
    package func commit(_ queries: [Query] = [], by deadline: Deadline) throws(PostgresError) -> [Rows] {
        switch phase {
        case .none: preconditionFailure("no transaction is open")
        case .ended: preconditionFailure("the transaction has been committed already")
        case .open: return try commitOnce([], queries, by: deadline)
        case .beginning(let begin): return try commitOnce([begin], queries, by: deadline)
        }
    }

    private func commitOnce(_ begin: [Query], _ queries: [Query], by deadline: Deadline) throws(PostgresError) -> [Rows] {
        phase = .ended(nil)
        do throws(PostgresError) {
            return try commit(begin, queries, by: deadline)
        } catch {
            phase = .ended(error)
            throw error
        }
    }

    private func commit(_ begin: [Query], _ queries: [Query], by deadline: Deadline) throws(PostgresError) -> [Rows] {
        let answer: (rows: [Rows], notices: [Notice])
        do throws(PostgresError) {
            answer = try roundTrip(begin + queries + [.commit], commits: true, by: deadline)
        } catch {
            throw error.movingIndex(by: -begin.count).within(queries.count)
        }
        // COMMIT rolls back a transaction in which a statement failed, and reports no error.
        guard answer.rows.last?.tag == "COMMIT" else {
            throw PostgresError(
                .refused, "the transaction was rolled back, because a statement in it had failed", sqlState: .failedTransaction)
        }
        if let warning = answer.notices.first(where: { $0.isWarning }) { throw PostgresError(unreplicated: warning) }
        return Array(answer.rows.dropFirst(begin.count).dropLast())
    }

    /// Rolls back a failed transaction. If this cannot be done in time, closes the connection, which also rolls it back.
    private func rollBack(by deadline: Deadline) {
        guard isOpen, !isIdle else { return }
        do throws(PostgresError) {
            _ = try roundTrip([.rollback], commits: false, by: deadline)
        } catch {
            if isOpen { lose(error) }
        }
    }
}

extension PostgresError {
    /// Returns the error, without an index beyond the caller's queries.
    fileprivate func within(_ count: Int) -> PostgresError {
        var error = self
        error.queryIndex = queryIndex.flatMap { $0 < count ? $0 : nil }
        return error
    }
}
