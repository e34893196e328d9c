extension Statement {
    /// Binds the values in order, runs the statement to its end, drops its rows, and unbinds the values.
    /// - Parameter values: one for each parameter, or none to keep what was bound one by one; another number traps.
    /// - Throws: why the statement failed.
    package func run<each Value: SQLiteBindable>(_ values: repeat each Value) throws(SQLiteError) {
        bindAll(repeat each values)
        defer { clear() }
        while try step() {}
    }

    /// Runs the statement with what was bound one by one to its end, drops its rows, and unbinds the values: for statements that run so often
    /// that binding values of any type would cost more than running them.
    /// - Throws: why the statement failed.
    package func runBound() throws(SQLiteError) {
        defer { clear() }
        while try step() {}
    }

    /// Goes to the only row of what was bound one by one, and calls `body` there if there is one.
    /// - Throws: why the statement failed, or what `body` throws.
    package func readBound(_ body: (Statement) throws(SQLiteError) -> Void) throws(SQLiteError) {
        defer { clear() }
        if try step() { try body(self) }
    }

    /// Binds the values in order, calls `body` at each row, and unbinds the values.
    ///
    /// `body` reads the columns; stepping or resetting this statement, or closing the connection, traps there.
    /// - Parameter values: one for each parameter, or none to keep what was bound one by one; another number traps.
    /// - Throws: why the statement failed, or what `body` throws, which ends the rows.
    package func forEachRow<each Value: SQLiteBindable>(
        _ values: repeat each Value, body: (Statement) throws(SQLiteError) -> Void
    ) throws(SQLiteError) {
        bindAll(repeat each values)
        defer { clear() }
        while try step() {
            try lending { () throws(SQLiteError) in try body(self) }
        }
    }

    private func bindAll<each Value: SQLiteBindable>(_ values: repeat each Value) {
        var count = 0
        for value in repeat each values {
            count += 1
            value.bind(to: self, at: count)
        }
        precondition(count == 0 || count == parameterCount, "the statement has another number of parameters")
    }
}
