internal import Core
internal import SQLite
internal import Threading

/// Something for the writer to do, and whom to tell.
struct WriterJob: Sendable {
    let lane: WriterLane
    /// Whether somebody still waits for it; must not block.
    let isAwaited: @Sendable () -> Bool
    /// Does it inside a transaction, perhaps a second time after one that was rolled back.
    /// - Returns: what tells of it once it is durable.
    let run: @Sendable (WritingDatabase) throws(SQLiteError) -> @Sendable () -> Void
    /// Tells that it was not done.
    let fail: @Sendable (StoreError) -> Void

    /// A job that ends in its own result, or in one that says why it was not done. When nobody waits for it any more it is not done: its caller
    /// has been told that it was not, and nothing need be stored.
    init<Value: Sendable>(
        _ lane: WriterLane, isAwaited: @escaping @Sendable () -> Bool,
        _ completion: @escaping @Sendable (Result<Value, StoreError>) -> Void,
        _ body: @escaping @Sendable (WritingDatabase) throws(SQLiteError) -> Result<Value, StoreError>
    ) {
        self.lane = lane
        self.isAwaited = isAwaited
        run = { database throws(SQLiteError) in
            guard isAwaited() else { return { completion(.failure(.abandoned)) } }
            let result = try body(database)
            return { completion(result) }
        }
        fail = { completion(.failure($0)) }
    }

    /// A job that somebody waits for at `reply`.
    init<Value: Sendable>(
        reply: Monitor<Result<Value, StoreError>?>, _ body: @escaping @Sendable (WritingDatabase) throws(SQLiteError) -> Value
    ) {
        lane = .service
        isAwaited = { true }
        run = { database throws(SQLiteError) in
            let value = try body(database)
            return { reply.update { $0 = .success(value) } }
        }
        fail = { error in reply.update { $0 = .failure(error) } }
    }
}
