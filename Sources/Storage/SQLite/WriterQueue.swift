internal import Core
internal import SQLite
internal import Threading

/// The jobs that wait for the writer's next commit.
final class WriterQueue: Sendable {
    private struct State {
        /// In the order of their arrival.
        var jobs: [WriterJob] = []
        /// How many wait or are being done, by lane.
        var counts = LaneCounts()
        /// How many jobs wait when those are dropped next that nobody waits for any more.
        var sweepsAt = WriterQueue.leastSwept
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
    private static let leastSwept = 256

    private let state = Monitor(State())
    private let bounds: LaneBounds
    private let batch: Int

    /// - Parameters:
    ///   - limit: how many calls from outside may wait.
    ///   - batch: how many jobs the writer takes at once: what it has not taken can still be dropped while a commit hangs.
    init(limit: Int, batch: Int) {
        bounds = LaneBounds(limit: limit)
        self.batch = batch
    }

    /// Adds a job, or fails it on this thread.
    func submit(_ job: WriterJob) {
        var abandoned: [WriterJob] = []
        let (error, wakes) = state.withLock { state -> (StoreError?, Bool) in
            if state.isClosed { return (.closed, false) }
            abandoned = sweep(&state, for: job.lane)
            guard bounds.hasRoom(for: job.lane, in: state.counts) else { return (.tooManyCalls, false) }
            state.counts.add(1, to: job.lane)
            state.jobs.append(job)
            return (nil, state.jobs.count == 1 || state.jobs.count == state.wanted)
        }
        for job in abandoned { job.fail(.abandoned) }
        if let error { job.fail(error) }
        // Only the writer waits, and it takes all at once.
        if wakes { state.wakeAll() }
    }

    /// Submits a job of the service itself and waits for it.
    func perform<Value: Sendable>(
        _ body: @escaping @Sendable (WritingDatabase) throws(SQLiteError) -> Value
    ) throws(StoreError) -> Value {
        let reply = Monitor<Result<Value, StoreError>?>(nil)
        submit(WriterJob(reply: reply, body))
        // Without a timeout, waiting ends with a value only.
        return try (reply.wait { $0 } ?? .failure(.closed)).get()
    }

    /// Takes what waits, a batch at most; for the writer.
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
                let taken = Array(state.jobs.prefix(batch))
                state.jobs.removeFirst(taken.count)
                state.wanted = max(1, taken.count * 3 / 4)
                return .jobs(taken)
            }
            return state.isClosed ? .closed : nil
        } ?? .idle
    }

    /// Says that jobs that were taken have been done.
    func done(_ jobs: some Sequence<WriterJob>) {
        state.withLock { for job in jobs { $0.counts.add(-1, to: job.lane) } }
    }

    /// Takes no more.
    func close() {
        state.update { $0.isClosed = true }
    }

    /// Takes out the jobs that nobody waits for any more: when a lane is full, and each time that twice as many wait as were left.
    private func sweep(_ state: inout State, for lane: WriterLane) -> [WriterJob] {
        guard state.jobs.count >= state.sweepsAt || !bounds.hasRoom(for: lane, in: state.counts) else { return [] }
        var (kept, abandoned) = ([WriterJob](), [WriterJob]())
        // Asked once each, because the answer may change at any moment.
        for job in state.jobs {
            if job.isAwaited() { kept.append(job) } else { abandoned.append(job) }
        }
        state.jobs = kept
        for job in abandoned { state.counts.add(-1, to: job.lane) }
        state.sweepsAt = max(Self.leastSwept, 2 * state.jobs.count)
        return abandoned
    }
}
