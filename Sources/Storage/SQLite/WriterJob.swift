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

    /// A job that ends in its own result, or in one that says why it was not done.
    init<Value: Sendable>(
        _ completion: @escaping @Sendable (Result<Value, StoreError>) -> Void,
        _ body: @escaping @Sendable (WritingDatabase) throws(SQLiteError) -> Result<Value, StoreError>
    ) {
        run = { database throws(SQLiteError) in
            let result = try body(database)
            return { completion(result) }
        }
        fail = { completion(.failure($0)) }
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
