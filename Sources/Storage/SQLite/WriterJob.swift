internal import Core
internal import SQLite
internal import Threading

/// Something for the writer to do, and whom to tell.
struct WriterJob: Sendable {
    /// Does it inside a transaction, perhaps a second time after one that was rolled back.
    /// - Returns: what tells of it once it is durable.
    let run: @Sendable (WritingDatabase) throws(SQLiteError) -> @Sendable () -> Void
    /// Tells that it was not done.
    let fail: @Sendable (StoreError) -> Void

    init(
        run: @escaping @Sendable (WritingDatabase) throws(SQLiteError) -> @Sendable () -> Void,
        fail: @escaping @Sendable (StoreError) -> Void
    ) {
        self.run = run
        self.fail = fail
    }

    /// A job that somebody waits for at `reply`.
    init<Value: Sendable>(
        reply: Monitor<Result<Value, StoreError>?>, _ body: @escaping @Sendable (WritingDatabase) throws(SQLiteError) -> Value
    ) {
        run = { database throws(SQLiteError) in
            let value = try body(database)
            return { reply.update { $0 = .success(value) } }
        }
        fail = { error in reply.update { $0 = .failure(error) } }
    }
}
