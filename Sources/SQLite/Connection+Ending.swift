internal import CSQLite

extension Connection {
    /// The number of SQLite's virtual machine steps between two checks whether a statement must end: some tens of microseconds.
    private static let stepsPerQuestion: Int32 = 4000

    /// Makes each statement end when `shallEnd` returns true: it then throws an error with `isInterrupted`.
    ///
    /// `shallEnd` is called on the statement's thread, the first time after some thousand steps, so it is never called for a statement that
    /// finds its rows with an index. It must not use the connection. Replaces an earlier function.
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
