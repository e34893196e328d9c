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
    /// Runs inside a transaction, perhaps a second time after a rollback.
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

    /// - Parameter offset: by which moments are stored.
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

    /// - Parameters: by the database's clock.
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

    /// - Parameter ending: by the database's clock.
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
    /// The reason why the database cannot be reached; permanent, because another store is opened then.
    private(set) var failure: StoreError?
    /// Set while the store finds out whether a transaction took effect; it accepts nothing meanwhile.
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

    /// Returns the difference between this process's clock and the database's, for a moment that was read from it. It changes only with one
    /// of the clocks, so that a moment is read as it was stored.
    mutating func offset(for moment: UnixMilliseconds) -> ClockOffset {
        if let heartbeat { offset = heartbeat.clock.offset(for: moment, after: offset) }
        return offset
    }

    /// Records that the connection is lost.
    /// - Returns: the store's error.
    mutating func note(_ error: PostgresError) -> StoreError {
        // A server that writes no more may have a successor that does.
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

/// The one thread that makes what arrives durable: whatever waits in one transaction, and meanwhile the next ones gather.
///
/// When the connection breaks around a COMMIT, it connects again and asks whether that took effect, so that its callers get the true
/// answer. One thread uses it.
final class PostgresWriter {
    private var session: PostgresSession
    private let connect: () throws(PostgresError) -> PostgresSession
    private let queue: WriterQueue<PostgresJob>
    private let status: Monitor<PostgresStatus>
    private let settings: StoreSettings
    private var random: any RandomNumberGenerator & Sendable
    private let clock: @Sendable () -> UnixMilliseconds
    private var failedBeats = 0
    /// The digest in the last heartbeat, which may have failed.
    private var publishedDigest: String?
    private var countsDepthAt: MonotonicMilliseconds = 0
    private static let idleMilliseconds: UInt64 = 1000
    /// Milliseconds until a failed count of the queue's depth is repeated.
    private static let countPauseMilliseconds: UInt64 = 10 * 60_000
    /// For how long it tries to find out what became of a transaction: shorter than a help desk waits, longer than a short interruption.
    private static let settlingMilliseconds: UInt64 = TimeLimit.milliseconds(8000)
    private static let settlingPauseMilliseconds: UInt64 = 250
    /// The maximum number of attempts to write the same jobs whose COMMIT is lost.
    private static let maximumTries = 3

    /// The results of a transaction, reported once it is durable.
    private struct Work {
        let batch: PostgresBatch
        var reports: [@Sendable () -> Void] = []
    }

    /// - Parameter connect: makes a session; called on this thread, at first and after a connection was lost around a COMMIT.
    init(
        _ connect: @escaping () throws(PostgresError) -> PostgresSession, queue: WriterQueue<PostgresJob>, status: Monitor<PostgresStatus>,
        settings: StoreSettings, random: any RandomNumberGenerator & Sendable, clock: @escaping @Sendable () -> UnixMilliseconds
    ) throws(PostgresError) {
        session = try connect()
        (self.connect, self.queue, self.status, self.settings) = (connect, queue, status, settings)
        (self.random, self.clock) = (random, clock)
    }

    /// Works until the queue is closed and empty.
    func run() {
        var beatAt = MonotonicMilliseconds(rawValue: 0)
        while true {
            let now = SystemClock.monotonicMilliseconds()
            let digest = status.withLock { $0.keysDigest }
            // The others query only replicas that have published their keys, so a starting service publishes them at once.
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

    /// Sends a heartbeat. When that fails twice, for any reason, the store is reopened, which reports the reason.
    private func beat(_ keysDigest: String?) {
        publishedDigest = keysDigest
        do throws(PostgresError) {
            let heartbeat = try session.beat(keysDigest: keysDigest, clock)
            status.withLock { $0.heartbeat = heartbeat.following($0.heartbeat) }
            failedBeats = 0
            // Of several processes the one that has been here longest counts, which is of this version once the older ones have left.
            if heartbeat.isDepthUncounted, heartbeat.isFirst { countDepth() }
        } catch {
            failedBeats += 1
            status.withLock { status in _ = failedBeats > 1 ? status.lose(error) : status.note(error) }
        }
    }

    /// Counts pending deliveries by app. Nothing is written meanwhile, so after a failure, for example because many are pending, it is not
    /// retried soon: until then apps may find more room than their share, or less.
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

    /// Writes jobs in one transaction. What one of them broke is done again job by job, so that only that one fails.
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
        // The first time it reads all of them, which nobody who waits for a lock should wait for.
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

    /// Answers jobs whose COMMIT got no reliable answer, by what became of it; what did not take effect is written again.
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

    /// Whether the transaction with a mark was committed; nil when the database could not be asked in time. After false it never will be.
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
    /// The store's error for a database's.
    init(_ error: PostgresError) {
        let kind: Kind = error.isConnectionLost ? .notOpen : error.isFull ? .diskFull : .unavailable
        self.init(error, kind)
    }

    fileprivate init(_ error: PostgresError, _ kind: Kind) {
        let doubt = error.commitIsInDoubt ? "; it is unknown whether the transaction was committed" : ""
        self.init(kind, error.cause + doubt, remedy: error.remedy)
    }
}
