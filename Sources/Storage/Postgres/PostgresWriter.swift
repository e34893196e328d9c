internal import Core
internal import Postgres
internal import Threading
internal import Time

/// An event or a registration that waits for the writer's next transaction.
struct PostgresJob: QueuedJob {
    let lane: WriterLane
    let isAwaited: @Sendable () -> Bool
    let fail: @Sendable (StoreError) -> Void
    let arrival: Arrival?
    let registration: Registration?
    let audience: RegistryAudience
    /// Does it inside a transaction, perhaps a second time after one that was rolled back.
    /// - Returns: what tells of it once it is durable.
    let run: @Sendable (PostgresBatch) throws(PostgresError) -> @Sendable () -> Void

    init(
        accepting arrival: Arrival, _ audience: RegistryAudience, _ isAwaited: @escaping @Sendable () -> Bool,
        _ completion: @escaping @Sendable (Result<Acceptance, StoreError>) -> Void
    ) {
        lane = .comments
        (self.arrival, registration, self.audience, self.isAwaited) = (arrival, nil, audience, isAwaited)
        fail = { completion(.failure($0)) }
        run = { batch throws(PostgresError) in
            let result = try batch.accept(arrival)
            return { completion(result) }
        }
    }

    init(
        registering registration: Registration, _ audience: RegistryAudience, _ isAwaited: @escaping @Sendable () -> Bool,
        _ completion: @escaping @Sendable (Result<Registration.Outcome, StoreError>) -> Void
    ) {
        lane = .registrations
        (arrival, self.registration, self.audience, self.isAwaited) = (nil, registration, audience, isAwaited)
        fail = { completion(.failure($0)) }
        run = { batch throws(PostgresError) in
            let outcome = try batch.register(registration)
            return { completion(.success(outcome)) }
        }
    }
}

/// What the store tells of itself without asking the database.
struct PostgresStatus {
    /// Why the database is not reached; it stays, because another store is opened then.
    private(set) var failure: StoreError?
    private(set) var refused: [ByteKey: [DeliveryEnding: Int]] = [:]
    var time: TrustedTime?
    var isClosed = false
    /// As the last heartbeat has found it; nil before the first one.
    var heartbeat: Heartbeat?
    /// How many deliveries were pending when this process looked last.
    private var total = 0

    /// Remembers that the connection is lost.
    /// - Returns: the error as stores tell it.
    mutating func note(_ error: PostgresError) -> StoreError {
        let told = StoreError(error)
        if error.isConnectionLost { failure = told }
        return told
    }

    /// Takes in what a transaction has left.
    mutating func note(_ committed: PostgresBatch) {
        total = committed.depth.total
        for (notifier, ending) in committed.refused { refused[ByteKey(notifier), default: [:]][ending, default: 0] += 1 }
    }

    /// What keeps the store from accepting.
    func refusal(_ settings: StoreSettings) -> StoreError? {
        if isClosed { return .closed }
        if let failure { return failure }
        return total >= settings.maxPending ? .queueFull(settings.maxPending) : nil
    }
}

/// The one thread that makes what arrives durable: whatever waits in one transaction, and meanwhile the next ones gather.
struct PostgresWriter {
    private let session: PostgresSession
    private let queue: WriterQueue<PostgresJob>
    private let status: Monitor<PostgresStatus>
    private let settings: StoreSettings
    private let random: any RandomNumberGenerator & Sendable
    private let clock: @Sendable () -> UnixMilliseconds
    private static let idleMilliseconds: UInt64 = 1000

    init(
        _ session: PostgresSession, queue: WriterQueue<PostgresJob>, status: Monitor<PostgresStatus>, settings: StoreSettings,
        random: any RandomNumberGenerator & Sendable, clock: @escaping @Sendable () -> UnixMilliseconds
    ) {
        (self.session, self.queue, self.status, self.settings) = (session, queue, status, settings)
        (self.random, self.clock) = (random, clock)
    }

    /// Works until the queue is closed and empty.
    func run() {
        var beatAt = MonotonicMilliseconds(rawValue: 0)
        while true {
            let now = SystemClock.monotonicMilliseconds()
            if now >= beatAt {
                beat()
                beatAt = now + settings.heartbeatMilliseconds
            }
            switch queue.next(idleAfterMilliseconds: Self.idleMilliseconds) {
            case .jobs(let jobs):
                commit(jobs[...])
                queue.done(jobs)
            case .idle: continue
            case .closed: return
            }
        }
    }

    /// Says that this process lives, and looks after what others have left.
    private func beat() {
        do throws(PostgresError) {
            let heartbeat = try session.beat(clock)
            status.withLock { $0.heartbeat = heartbeat }
            try session.releaseLeasesOfTheDead()
        } catch {
            _ = status.withLock { $0.note(error) }
        }
    }

    /// Commits a batch. What one job broke is done again job by job, so that only that one fails.
    private func commit(_ batch: ArraySlice<PostgresJob>) {
        let awaited = batch.filter { job in
            if job.isAwaited() { return true }
            job.fail(.abandoned)
            return false
        }
        guard !awaited.isEmpty else { return }
        do throws(PostgresError) {
            let (reports, committed) = try session.transaction { session throws(PostgresError) in
                let batch = PostgresBatch(PostgresUnit(session, settings: settings), QueueDepth(try session.depth()), random: random)
                try batch.load(awaited.compactMap(\.arrival), awaited.compactMap(\.registration))
                var reports: [@Sendable () -> Void] = []
                for job in awaited {
                    batch.audience = job.audience
                    reports.append(try job.run(batch))
                }
                return ((reports, batch), try batch.flush())
            }
            status.withLock { $0.note(committed) }
            for report in reports { report() }
        } catch {
            if awaited.count > 1, !error.isConnectionLost, !error.commitIsInDoubt {
                for job in awaited { commit([job]) }
            } else {
                let told = status.withLock { $0.note(error) }
                for job in awaited { job.fail(told) }
            }
        }
    }
}

extension StoreError {
    /// The error of a database as stores tell it.
    init(_ error: PostgresError) {
        let kind: Kind = error.isConnectionLost ? .notOpen : error.isFull ? .diskFull : .unavailable
        self.init(kind, error.description)
    }
}
