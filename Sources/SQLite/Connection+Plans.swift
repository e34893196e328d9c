internal import CSQLite

extension Connection {
    /// What SQLite does to run each statement that is prepared here (EXPLAIN QUERY PLAN), for tests: a statement that looks at all rows of a table
    /// that grows keeps everybody waiting.
    package func plans() throws(SQLiteError) -> [(sql: String, steps: [String])] {
        var texts: [String] = []
        var next = unsafe sqlite3_next_stmt(database, nil)
        while let statement = unsafe next {
            texts.append(unsafe String(cString: sqlite3_sql(statement)))
            unsafe next = sqlite3_next_stmt(database, statement)
        }
        var plans: [(sql: String, steps: [String])] = []
        for text in texts { plans.append((text, try steps(of: text))) }
        return plans
    }

    private func steps(of sql: String) throws(SQLiteError) -> [String] {
        var prepared: OpaquePointer?
        guard unsafe sqlite3_prepare_v2(database, "EXPLAIN QUERY PLAN \(sql)", -1, &prepared, nil) == SQLITE_OK else {
            throw unsafe SQLiteError(lastOf: database)
        }
        defer { unsafe sqlite3_finalize(prepared) }
        var steps: [String] = []
        while unsafe sqlite3_step(prepared) == SQLITE_ROW {
            if let text = unsafe sqlite3_column_text(prepared, 3) { steps.append(unsafe String(cString: text)) }
        }
        return steps
    }
}
