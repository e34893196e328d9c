internal import CSQLite

extension Connection {
    /// The number of steps of SQLite's machine between two checks whether a statement must end: some tens of microseconds.
    private static let stepsPerQuestion: Int32 = 4000

    /// Has each statement end when `shallEnd` returns true: it then throws an error with `isInterrupted`.
    ///
    /// `shallEnd` is called on the statement's thread, the first time after some thousand steps, so that a statement that finds its rows by
    /// an index is never asked about. It must not use the connection. Replaces an earlier one.
    package func endStatements(when shallEnd: @escaping () -> Bool) {
        self.shallEnd = shallEnd
        unsafe sqlite3_progress_handler(
            database, Self.stepsPerQuestion,
            { context in
                // The connection outlives its statements.
                guard let context = unsafe context else { return 0 }
                return unsafe Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().shallEnd() ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }
}
