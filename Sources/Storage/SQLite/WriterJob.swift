internal import Core
internal import SQLite
internal import Threading

/// A job for the writer, with the callback that reports its result.
struct WriterJob: QueuedJob {
    let lane: WriterLane
    let isAwaited: @Sendable () -> Bool
    let isDeferrable: Bool
    /// Runs the job in a transaction, possibly a second time after a rollback.
    /// - Returns: the report to the caller, to be called once the transaction is durable.
    let run: @Sendable (WritingDatabase) throws(SQLiteError) -> @Sendable () -> Void
    let fail: @Sendable (StoreError) -> Void

    /// A job that calls `completion` with its result, or with the reason why it was not done. If its caller no longer waits, the job is
    /// dropped: the caller has received an error, so nothing needs to be stored.
    init<Value: Sendable>(
        _ lane: WriterLane, isDeferrable: Bool = false, isAwaited: @escaping @Sendable () -> Bool,
        completion: @escaping @Sendable (Result<Value, StoreError>) -> Void,
        body: @escaping @Sendable (WritingDatabase) throws(SQLiteError) -> Result<Value, StoreError>
    ) {
        self.lane = lane
        self.isDeferrable = isDeferrable
        self.isAwaited = isAwaited
        run = { database throws(SQLiteError) in
            guard isAwaited() else { return { completion(.failure(.abandoned)) } }
            let result = try body(database)
            return { completion(result) }
        }
        fail = { completion(.failure($0)) }
    }

    /// A job whose caller blocks on `reply`.
    init<Value: Sendable>(
        reply: Monitor<Result<Value, StoreError>?>, _ body: @escaping @Sendable (WritingDatabase) throws(SQLiteError) -> Value
    ) {
        lane = .service
        isDeferrable = false
        isAwaited = { true }
        run = { database throws(SQLiteError) in
            let value = try body(database)
            return { reply.update { $0 = .success(value) } }
        }
        fail = { error in reply.update { $0 = .failure(error) } }
    }
}

extension WriterQueue<WriterJob> {
    /// Submits a job that the service itself needs, and blocks until it is done.
    func perform<Value: Sendable>(
        _ body: @escaping @Sendable (WritingDatabase) throws(SQLiteError) -> Value
    ) throws(StoreError) -> Value {
        let reply = Monitor<Result<Value, StoreError>?>(nil)
        submit(WriterJob(reply: reply, body))
        // A wait without a timeout ends only with a value.
        return try (reply.wait { $0 } ?? .failure(.closed)).get()
    }
}
