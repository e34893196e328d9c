internal import Core
internal import Postgres
internal import Threading
internal import Time

/// An event, a registration or a call of a bot that waits for the writer's next transaction.
struct PostgresJob: QueuedJob {
    let lane: WriterLane
    let isAwaited: @Sendable () -> Bool
    private(set) var isDeferrable = false
    let fail: @Sendable (StoreError) -> Void
    let incoming: IncomingEvent?
    let report: Report?
    let registration: Registration?
    private(set) var call: BotCall?
    var isAboutPerson: Bool { incoming != nil || report != nil || registration != nil }
    let audience: RegistryAudience
    /// Runs inside a transaction; may run again after a rollback.
    /// - Returns: the function that reports the result once it is durable.
    let run: @Sendable (PostgresBatch) throws(PostgresError) -> @Sendable () -> Void

    init(
        accepting incoming: IncomingEvent, _ audience: RegistryAudience, isAwaited: @escaping @Sendable () -> Bool,
        completion: @escaping @Sendable (Result<Acceptance, StoreError>) -> Void
    ) {
        lane = .comments
        (self.incoming, report, registration, self.audience, self.isAwaited) = (incoming, nil, nil, audience, isAwaited)
        fail = { completion(.failure($0)) }
        run = { batch throws(PostgresError) in
            let result = try batch.accept(incoming)
            return { completion(result) }
        }
    }

    /// - Parameter offset: converts the report's moments to the database's clock.
    init(
        accepting report: Report, _ offset: ClockOffset, isAwaited: @escaping @Sendable () -> Bool,
        completion: @escaping @Sendable (Result<ReportOutcome, StoreError>) -> Void
    ) {
        lane = .comments
        (incoming, self.report, registration, audience, self.isAwaited) = (nil, report, nil, .nobody, isAwaited)
        fail = { completion(.failure($0)) }
        run = { batch throws(PostgresError) in
            let result = try batch.accept(report, offset)
            return { completion(result) }
        }
    }

    /// - Parameter call: its times are by the database's clock.
    init(
        beginning call: BotCall, _ isAwaited: @escaping @Sendable () -> Bool,
        _ completion: @escaping @Sendable (Result<BotCallBeginning, StoreError>) -> Void
    ) {
        (lane, isDeferrable) = (.calls, call.key == nil)
        (incoming, report, registration, self.call, audience, self.isAwaited) = (nil, nil, nil, call, .nobody, isAwaited)
        fail = { completion(.failure($0)) }
        run = { batch throws(PostgresError) in
            let beginning = batch.beginning(of: call)
            return { completion(beginning) }
        }
    }

    /// - Parameter ending: its times are by the database's clock.
    init(
        ending id: UUIDv7, _ ending: BotCall.Ending, _ completion: @escaping @Sendable (Result<Void, StoreError>) -> Void
    ) {
        (lane, isDeferrable) = (.service, true)
        (incoming, report, registration, audience, isAwaited) = (nil, nil, nil, .nobody, { true })
        fail = { completion(.failure($0)) }
        run = { batch throws(PostgresError) in
            batch.endedCalls.append((id, ending))
            return { completion(.success(())) }
        }
    }

    init(
        registering registration: Registration, _ audience: RegistryAudience, isAwaited: @escaping @Sendable () -> Bool,
        completion: @escaping @Sendable (Result<Registration.Outcome, StoreError>) -> Void
    ) {
        lane = .registrations
        (incoming, report, self.registration, self.audience, self.isAwaited) = (nil, nil, registration, audience, isAwaited)
        fail = { completion(.failure($0)) }
        run = { batch throws(PostgresError) in
            let outcome = try batch.register(registration)
            return { completion(.success(outcome)) }
        }
    }
}

/// The state of the store that is known without a query.
struct PostgresStatus {
    /// The reason why the database cannot be reached. It is never cleared, because the owner then opens another store.
    private(set) var failure: StoreError?
    /// The error while the store determines whether a transaction was committed. The store accepts nothing until it is cleared.
    var doubt: StoreError?
    private(set) var refused: [ByteKey: [DeliveryEnding: Int]] = [:]
    var time: TrustedTime?
    var isClosed = false
    /// The digest of the keys that this process has in force; nil before it is announced.
    var keysDigest: String?
    /// The result of the last heartbeat; nil before the first one.
    var heartbeat: Heartbeat?
    private var offset = ClockOffset.none
    private(set) var depth = KnownDepth()

    /// Returns the difference between this process's clock and the database's clock, for a moment on this process's clock. The difference
    /// changes only when one of the clocks changes, so that a stored moment is read back with the same value.
    mutating func offset(for moment: UnixMilliseconds) -> ClockOffset {
        if let heartbeat { offset = heartbeat.clock.offset(for: moment, after: offset) }
        return offset
    }

    /// Converts a database error, and records a loss of the connection.
    /// - Returns: the store's error.
    mutating func note(_ error: PostgresError) -> StoreError {
        // A server that has become read-only may have been replaced by a new primary.
        error.isConnectionLost || error.sqlState == .readOnlyTransaction ? lose(error) : StoreError(error)
    }

    /// Records that the database cannot be reached.
    /// - Returns: the store's error.
    mutating func lose(_ error: PostgresError) -> StoreError {
        let lost = StoreError(.notOpen, error.cause, remedy: error.remedy)
        failure = lost
        return lost
    }

    mutating func note(_ committed: PostgresBatch) {
        depth.note(committed.depth, SystemClock.monotonicMilliseconds())
        for (notifier, ending) in committed.refused { refused[ByteKey(notifier), default: [:]][ending, default: 0] += 1 }
    }

    /// The reason why nothing can be stored now, although the queue has room.
    var hindrance: StoreError? { failure ?? doubt }

    func isFull(_ settings: StoreSettings) -> Bool { depth.total >= settings.maxPending }

    func refusal(_ settings: StoreSettings) -> StoreError? {
        if isClosed { return .closed }
        return hindrance ?? (isFull(settings) ? settings.bounds.commonQueueFull : nil)
    }
}

/// The thread that makes incoming data durable. It writes all waiting jobs in one transaction, while the next jobs gather in the queue.
///
/// When the connection breaks during a COMMIT, the writer reconnects and queries whether the transaction was committed, so that its callers
/// get a correct answer. Only one thread may use it.
final class PostgresWriter {
    private var session: PostgresSession
    private let connect: () throws(PostgresError) -> PostgresSession
    private let queue: WriterQueue<PostgresJob>
    private let status: Monitor<PostgresStatus>
    private let settings: StoreSettings
    private var random: any RandomNumberGenerator & Sendable
    private let clock: @Sendable () -> UnixMilliseconds
    private var failedBeats = 0
    /// The digest in the last heartbeat, even if that heartbeat failed.
    private var publishedDigest: String?
    private var countsDepthAt: MonotonicMilliseconds = 0
    private static let idleMilliseconds: UInt64 = 1000
    /// Milliseconds until a failed count of the queue's depth is repeated.
    private static let countPauseMilliseconds: UInt64 = 10 * 60_000
    /// The time, in milliseconds, in which the writer tries to determine whether a transaction was committed: shorter than the timeout of a
    /// help desk, longer than a short interruption.
    private static let settlingMilliseconds: UInt64 = TimeLimit.milliseconds(8000)
    private static let settlingPauseMilliseconds: UInt64 = 250
    /// The maximum number of attempts to write jobs whose COMMIT got no answer.
    private static let maximumTries = 3

    /// The results of a transaction, reported once it is durable.
    private struct Work {
        let batch: PostgresBatch
        var reports: [@Sendable () -> Void] = []
    }

    /// - Parameter connect: creates a session; called on this thread, in `init` and after the connection was lost during a COMMIT.
    init(
        _ connect: @escaping () throws(PostgresError) -> PostgresSession, queue: WriterQueue<PostgresJob>, status: Monitor<PostgresStatus>,
        settings: StoreSettings, random: any RandomNumberGenerator & Sendable, clock: @escaping @Sendable () -> UnixMilliseconds
    ) throws(PostgresError) {
        session = try connect()
        (self.connect, self.queue, self.status, self.settings) = (connect, queue, status, settings)
        (self.random, self.clock) = (random, clock)
    }

    /// Processes jobs until the queue is closed and empty.
    func run() {
        var beatAt = MonotonicMilliseconds(rawValue: 0)
        while true {
            let now = SystemClock.monotonicMilliseconds()
            let digest = status.withLock { $0.keysDigest }
            // Other processes query only replicas that have published the digest of their keys, so a starting service publishes it at once.
            if now >= beatAt || digest != publishedDigest {
                beat(digest)
                beatAt = now + settings.heartbeatMilliseconds
            }
            switch queue.next(idleAfterMilliseconds: Self.idleMilliseconds) {
            case .jobs(let jobs):
                commit(jobs)
                queue.done(jobs)
            case .idle: continue
            case .closed: return
            }
        }
    }

    /// Sends a heartbeat. After two failures in a row, for any reason, the store is considered lost and must be reopened; opening it
    /// reports the reason.
    private func beat(_ keysDigest: String?) {
        publishedDigest = keysDigest
        do throws(PostgresError) {
            let heartbeat = try session.beat(keysDigest: keysDigest, clock)
            status.withLock { $0.heartbeat = heartbeat.following($0.heartbeat) }
            failedBeats = 0
            // The process that has run longest does the count, so this code counts only after all processes of older versions have ended.
            if heartbeat.isDepthUncounted, heartbeat.isFirst { countDepth() }
        } catch {
            failedBeats += 1
            status.withLock { status in _ = failedBeats > 1 ? status.lose(error) : status.note(error) }
        }
    }

    /// Counts pending deliveries by app. The writer writes nothing during the count, so a failed count, for example one that timed out, is
    /// retried only after a pause. Until then the limit of an app may be too high or too low.
    private func countDepth() {
        guard SystemClock.monotonicMilliseconds() >= countsDepthAt else { return }
        do throws(PostgresError) {
            try session.countDepth(limitMilliseconds: settings.depthCountMilliseconds)
        } catch {
            countsDepthAt = SystemClock.monotonicMilliseconds() + Self.countPauseMilliseconds
            _ = status.withLock { $0.note(error) }
        }
    }

    private func commit(_ jobs: [PostgresJob]) {
        let awaited = jobs.filter { job in
            if job.isAwaited() { return true }
            job.fail(.abandoned)
            return false
        }
        if !awaited.isEmpty { write(awaited, tries: 1) }
    }

    /// Writes jobs in one transaction. If it fails because of a job, writes each job in a separate transaction, so that only the faulty job
    /// fails.
    private func write(_ jobs: [PostgresJob], tries: Int) {
        var work: Work?
        let mark = UUIDv7(milliseconds: clock(), using: &random)
        do throws(PostgresError) {
            try session.transaction { session throws(PostgresError) in
                let made = try read(jobs, session)
                work = made
                return ((), try made.batch.flush() + [PostgresSession.mark(mark)])
            }
        } catch {
            if error.commitIsInDoubt, let work { return settle(jobs, work: work, mark: mark, error: error, tries: tries) }
            guard jobs.count > 1, !error.isConnectionLost, !error.commitIsInDoubt else { return fail(jobs, error) }
            for job in jobs { write([job], tries: tries) }
            return
        }
        if let work { report(work) }
    }

    private func read(_ jobs: [PostgresJob], _ session: PostgresSession) throws(PostgresError) -> Work {
        let knownDepth = status.withLock { $0.depth.fresh(SystemClock.monotonicMilliseconds()) }
        let batch = PostgresBatch(UnitOfWork(session, settings: settings), knownDepth, random: random)
        // The first call reads all revocations, so it is made before the batch takes locks that other transactions wait for.
        if jobs.contains(where: \.isAboutPerson) { _ = try session.revocations(asOf: 0) }
        try batch.begin(jobs.compactMap(\.call))
        try batch.load(jobs.compactMap(\.incoming), reports: jobs.compactMap(\.report), registrations: jobs.compactMap(\.registration))
        var work = Work(batch: batch)
        for job in jobs {
            batch.audience = job.audience
            work.reports.append(try job.run(batch))
        }
        return work
    }

    private func report(_ work: Work) {
        status.withLock { $0.note(work.batch) }
        for report in work.reports { report() }
    }

    private func fail(_ jobs: [PostgresJob], _ error: PostgresError) {
        let reported = status.withLock { $0.note(error) }
        for job in jobs { job.fail(reported) }
    }

    /// Reports the results of jobs whose COMMIT got no reliable answer, after it has queried whether the transaction was committed. Writes
    /// the jobs again if it was not.
    private func settle(_ jobs: [PostgresJob], work: Work, mark: UUIDv7, error: PostgresError, tries: Int) {
        status.withLock { $0.doubt = StoreError(error, .inDoubt) }
        defer { status.withLock { $0.doubt = nil } }
        switch hasTakenEffect(mark) {
        case true?: report(work)
        case false? where tries < Self.maximumTries: write(jobs, tries: tries + 1)
        case false?: fail(jobs, error)
        case nil:
            _ = status.withLock { $0.lose(error) }
            for job in jobs { job.fail(StoreError(error, .inDoubt)) }
        }
    }

    /// Returns whether the transaction with a mark was committed; nil when the database could not be queried in time. After false, the
    /// transaction can no longer be committed.
    private func hasTakenEffect(_ mark: UUIDv7) -> Bool? {
        let end = SystemClock.monotonicMilliseconds() + Self.settlingMilliseconds
        let pause = Monitor(())
        while true {
            do throws(PostgresError) {
                session = try connect()
                return try session.isMarked(mark)
            } catch {
                guard SystemClock.monotonicMilliseconds() < end else { return nil }
                _ = pause.wait(timeoutMilliseconds: Self.settlingPauseMilliseconds) { _ in nil as Void? }
            }
        }
    }
}

extension StoreError {
    /// Converts a database error to an error of the store.
    init(_ error: PostgresError) {
        let kind: Kind = error.isConnectionLost ? .notOpen : error.isFull ? .diskFull : .unavailable
        self.init(error, kind)
    }

    fileprivate init(_ error: PostgresError, _ kind: Kind) {
        let doubt = error.commitIsInDoubt ? "; it is unknown whether the transaction was committed" : ""
        self.init(kind, error.cause + doubt, remedy: error.remedy)
    }
}
