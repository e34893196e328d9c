internal import Core
internal import SQLite
internal import Threading

/// The jobs that wait for the writer's next commit.
final class WriterQueue: Sendable {
    private struct State {
        var jobs: [WriterJob] = []
        /// How many the writer has taken and not begun.
        var taken = 0
        /// How many the writer waits for before it goes on.
        var wanted = 1
        var isClosed = false
    }

    /// What the writer finds.
    enum Next {
        case jobs([WriterJob])
        /// Nothing came for a while.
        case idle
        /// Nothing will come any more.
        case closed
    }

    private static let gatherMilliseconds: UInt64 = 1

    private let state = Monitor(State())
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    /// Adds a job, or fails it on this thread.
    func submit(_ job: WriterJob) {
        let (error, wakes) = state.withLock { state -> (StoreError?, Bool) in
            if state.isClosed { return (.closed, false) }
            if state.jobs.count + state.taken >= limit { return (.tooManyCalls, false) }
            state.jobs.append(job)
            return (nil, state.jobs.count == 1 || state.jobs.count == state.wanted)
        }
        if let error { job.fail(error) }
        // Only the writer waits, and it takes all at once.
        if wakes { state.wakeAll() }
    }

    /// Submits a job and waits for it.
    func perform<Value: Sendable>(
        _ body: @escaping @Sendable (WritingDatabase) throws(SQLiteError) -> Value
    ) throws(StoreError) -> Value {
        let reply = Monitor<Result<Value, StoreError>?>(nil)
        submit(WriterJob(reply: reply, body))
        // Without a timeout, waiting ends with a value only.
        return try (reply.wait { $0 } ?? .failure(.closed)).get()
    }

    /// Takes everything that waits; for the writer.
    ///
    /// After a large group it waits a moment for the next one to become nearly as large: who was answered just now asks again, and a commit
    /// costs the same for one as for many.
    func next(idleAfterMilliseconds: UInt64) -> Next {
        let wanted = state.withLock { $0.wanted }
        if wanted > 1 {
            _ = state.wait(timeoutMilliseconds: Self.gatherMilliseconds) { $0.jobs.count >= wanted || $0.isClosed ? true : nil }
        }
        return state.wait(timeoutMilliseconds: idleAfterMilliseconds) { state in
            guard state.jobs.isEmpty else {
                defer { state.jobs = [] }
                state.taken = state.jobs.count
                state.wanted = max(1, state.jobs.count * 3 / 4)
                return .jobs(state.jobs)
            }
            return state.isClosed ? .closed : nil
        } ?? .idle
    }

    /// Says that some of those taken have been done.
    func done(_ count: Int) {
        state.withLock { $0.taken -= count }
    }

    /// Takes no more.
    func close() {
        state.update { $0.isClosed = true }
    }
}
