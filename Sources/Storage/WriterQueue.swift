internal import Core
internal import Threading

/// A job for a store's writer, with the callback that reports its result.
protocol QueuedJob: Sendable {
    var lane: WriterLane { get }
    /// Whether the caller still waits for the job; must not block.
    var isAwaited: @Sendable () -> Bool { get }
    /// Whether no answer depends on the job, so that it may be done some milliseconds later together with others.
    var isDeferrable: Bool { get }
    var fail: @Sendable (StoreError) -> Void { get }
}

/// The jobs that wait for the writer's next commit.
final class WriterQueue<Job: QueuedJob>: Sendable {
    private struct State {
        /// In the order of their arrival.
        var jobs: [Job] = []
        /// The number of waiting and running jobs by lane.
        var counts = LaneCounts()
        /// The number of waiting jobs at which abandoned ones are dropped next.
        var sweepsAt = minimumSwept
        /// The number of jobs that the writer waits for before it continues.
        var wanted = 1
        /// Whether one of the jobs is not patient.
        var isUrgent = false
        /// Whether the writer checks for jobs on its own while patient ones wait, so that it need not be woken. Initially true.
        var isPolling = true
        var isClosed = false

        mutating func append(_ job: Job) {
            jobs.append(job)
            if !job.isDeferrable { isUrgent = true }
        }

        /// Whether there is nothing to do, so that the next job must wake the writer.
        mutating func canSleep() -> Bool {
            isPolling = !jobs.isEmpty || isClosed
            return !isPolling
        }

        /// Removes at most `count` jobs.
        mutating func take(_ count: Int) -> [Job] {
            let taken = Array(jobs.prefix(count))
            jobs.removeFirst(taken.count)
            isUrgent = jobs.contains { !$0.isDeferrable }
            return taken
        }
    }

    enum Next {
        case jobs([Job])
        /// No job arrived within the given time.
        case idle
        /// The queue is closed and empty.
        case closed
    }

    private static var gatherMilliseconds: UInt64 { 1 }
    private static var minimumSwept: Int { 256 }

    private let state = Monitor(State())
    private let bounds: LaneBounds
    private let batch: Int
    private let deferralMilliseconds: UInt64

    /// - Parameters:
    ///     - limit: the maximum number of waiting jobs from outside the service.
    ///     - batch: the maximum number of jobs that the writer takes at once. The other jobs can still be dropped while a commit hangs.
    ///     - patienceMilliseconds: the time for which patient jobs wait. A crash may lose the results of the calls in that time.
    init(limit: Int, batch: Int, deferralMilliseconds: UInt64 = 5) {
        self.deferralMilliseconds = deferralMilliseconds
        bounds = LaneBounds(limit: limit)
        self.batch = batch
    }

    /// Adds a job, or calls its `fail` on this thread.
    func submit(_ job: Job) {
        var abandoned: [Job] = []
        let (error, wakes) = state.withLock { state -> (StoreError?, Bool) in
            if state.isClosed { return (.closed, false) }
            abandoned = sweep(&state, for: job.lane)
            guard bounds.hasRoom(for: job.lane, in: state.counts) else { return (.tooManyCalls, false) }
            state.counts.add(1, to: job.lane)
            let (isFirst, isFirstUrgent) = (state.jobs.isEmpty, !job.isDeferrable && !state.isUrgent)
            state.append(job)
            let isEnough = state.wanted > 1 && state.jobs.count == state.wanted
            return (nil, isFirstUrgent || isFirst && !state.isPolling || isEnough)
        }
        for job in abandoned { job.fail(.abandoned) }
        if let error { job.fail(error) }
        // Only the writer waits, and it takes a whole batch.
        if wakes { state.wakeAll() }
    }

    /// Takes at most one batch of the waiting jobs; only the writer calls it.
    ///
    /// After a large batch it waits one millisecond for the next one to become nearly as large: clients that were just answered send their
    /// next request, and a commit of many jobs costs the same as a commit of one.
    /// Patient jobs are taken together with the first job that is not patient, or when their time is over.
    func next(idleAfterMilliseconds: UInt64) -> Next {
        let wanted = state.withLock { $0.wanted }
        if wanted > 1 {
            _ = state.wait(timeoutMilliseconds: Self.gatherMilliseconds) { $0.jobs.count >= wanted || $0.isClosed ? true : nil }
        }
        if state.withLock({ $0.isPolling }) { waitForUrgentJobs() }
        if state.withLock({ $0.canSleep() }) {
            let isThere = state.wait(timeoutMilliseconds: idleAfterMilliseconds) { $0.jobs.isEmpty && !$0.isClosed ? nil : true }
            guard isThere == true else { return .idle }
            waitForUrgentJobs()
        }
        return state.withLock { state in
            guard !state.jobs.isEmpty else { return .closed }
            let taken = state.take(batch)
            (state.wanted, state.isPolling) = (max(1, taken.count * 3 / 4), true)
            return .jobs(taken)
        }
    }

    /// Makes patient jobs wait for others: usually the next call arrives soon, and one commit serves both.
    private func waitForUrgentJobs() {
        _ = state.wait(timeoutMilliseconds: deferralMilliseconds) { $0.isUrgent || $0.isClosed ? true : nil }
    }

    func done(_ jobs: some Sequence<Job>) {
        state.withLock { for job in jobs { $0.counts.add(-1, to: job.lane) } }
    }

    func close() {
        state.update { $0.isClosed = true }
    }

    /// Removes the jobs whose callers no longer wait: when the lane is full, and each time the queue has doubled since the last sweep.
    private func sweep(_ state: inout State, for lane: WriterLane) -> [Job] {
        guard state.jobs.count >= state.sweepsAt || !bounds.hasRoom(for: lane, in: state.counts) else { return [] }
        var (kept, abandoned) = ([Job](), [Job]())
        // Each job is checked once, because the result may change at any time.
        for job in state.jobs {
            if job.isAwaited() { kept.append(job) } else { abandoned.append(job) }
        }
        state.jobs = kept
        for job in abandoned { state.counts.add(-1, to: job.lane) }
        state.sweepsAt = max(Self.minimumSwept, 2 * state.jobs.count)
        return abandoned
    }
}

/// Starts a store's writer on its own thread, which opens the store, and waits for the result of opening.
/// - Parameter run: calls `opened` once it can write, and then works until its queue is closed; it throws when it cannot open.
func startWriter(
    _ run: @escaping @Sendable (_ opened: @Sendable () -> Void) throws(StoreError) -> Void
) throws(StoreError) -> DedicatedThread {
    let result = Monitor<Result<Void, StoreError>?>(nil)
    let thread: DedicatedThread
    do throws(ThreadError) {
        thread = try DedicatedThread {
            do throws(StoreError) {
                try run { result.update { $0 = .success(()) } }
            } catch {
                result.update { $0 = .failure(error) }
            }
        }
    } catch {
        throw StoreError(.unavailable, error.description)
    }
    let opened = result.wait { $0 } ?? .success(())
    if case .failure = opened { thread.join() }
    try opened.get()
    return thread
}
