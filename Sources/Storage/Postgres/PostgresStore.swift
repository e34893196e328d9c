package import Core
internal import Crypto
package import Postgres
internal import Threading
package import Time

/// A store in a PostgreSQL database that any number of processes share. A result is reported only after its change is durable.
///
/// One connection, on a dedicated thread, writes incoming data. A second one serves the dispatcher and maintenance, a third one serves
/// operators, and a fourth one polls revocations and serves metrics. When the connection is lost, the store rejects calls with `notOpen`,
/// and its owner must open another store. Call
/// `close` before releasing it.
package final class PostgresStore: Store {
    package let isNew: Bool
    let address: ConnectionSettings
    let replica: [UInt8]
    let settings: StoreSettings
    let queue: WriterQueue<PostgresJob>
    let status: Monitor<PostgresStatus>
    let sweepPositions = Monitor<[UUIDv7: Device.Key]>([:])
    private let writer: DedicatedThread
    private let worker: Monitor<PostgresSession?>
    private let reader: Monitor<PostgresSession?>
    /// Polls revocations and serves metrics, so that an operator's query delays neither.
    let watcher = Monitor<PostgresSession?>(nil)
    /// Cancels the current query of the operators' connection.
    private let readCanceller = Monitor<CancelHandle?>(nil)
    private let random: any RandomNumberGenerator & Sendable
    let clock: @Sendable () -> UnixMilliseconds

    /// Connects, and migrates the schema to the latest version.
    /// - Parameters:
    ///   - address: the address of the database.
    ///   - replica: the id of this process in the database; nil creates a new one. A store that is opened again after its connection was
    ///     lost needs the same one, because its leases are stored under that id.
    ///   - random: makes the ids of the registry's events.
    ///   - clock: reads this machine's clock, which is compared with the database's clock.
    /// - Throws: `unavailable` when the database cannot be reached, or rejects the connection; the description names the remedy.
    package init(
        _ address: ConnectionSettings, replica: UUIDv7? = nil, settings: StoreSettings = StoreSettings(),
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
        clock: @escaping @Sendable () -> UnixMilliseconds = { SystemClock.unixMilliseconds() }
    ) throws(StoreError) {
        self.settings = settings
        self.random = random
        self.clock = clock
        let replica = if let replica { replica.bytes } else { try Self.newReplica().bytes }
        (self.address, self.replica) = (address, replica)
        let status = Monitor(PostgresStatus())
        self.status = status
        let queue = WriterQueue<PostgresJob>(limit: settings.maximumQueued, batch: settings.maximumBatch)
        self.queue = queue
        let first = try PostgresDatabase.connect(address, replica: replica)
        isNew = try PostgresDatabase.prepare(first) == 0
        try PostgresDatabase.enter(first)
        let heartbeat = try PostgresDatabase.explained { () throws(PostgresError) in try first.beat(keysDigest: nil, clock) }
        status.withLock { $0.heartbeat = heartbeat }
        worker = Monitor(first)
        // Opened by the first query, so that an unresponsive host delays the start of the store by two timeouts and not three.
        reader = Monitor(nil)
        writer = try startWriter { opened throws(StoreError) in
            let writer = try PostgresDatabase.explained { () throws(PostgresError) in
                try PostgresWriter(
                    { () throws(PostgresError) in try PostgresSession(address, replica: replica) }, queue: queue, status: status,
                    settings: settings, random: random, clock: clock)
            }
            opened()
            writer.run()
        }
    }

    package static func newReplica() throws(StoreError) -> UUIDv7 {
        do throws(CryptoError) {
            return try UUIDv7(milliseconds: SystemClock.unixMilliseconds(), from: RandomPool())
        } catch {
            throw StoreError(.unavailable, error.description)
        }
    }

    package func accept(
        _ incoming: IncomingEvent, telling audience: RegistryAudience, isAwaited: @escaping @Sendable () -> Bool,
        completion: @escaping @Sendable (Result<Acceptance, StoreError>) -> Void
    ) {
        if let hindrance { return completion(.failure(hindrance)) }
        let offset = offset(for: incoming.event.receivedAt)
        queue.submit(PostgresJob(accepting: offset.databaseTime(incoming), audience, isAwaited: isAwaited, completion: completion))
    }

    package func accept(
        _ report: Report, isAwaited: @escaping @Sendable () -> Bool,
        completion: @escaping @Sendable (Result<ReportOutcome, StoreError>) -> Void
    ) {
        if let hindrance { return completion(.failure(hindrance)) }
        queue.submit(PostgresJob(accepting: report, offset(for: report.receivedAt), isAwaited: isAwaited, completion: completion))
    }

    package func register(
        _ registration: Registration, telling audience: RegistryAudience, isAwaited: @escaping @Sendable () -> Bool,
        completion: @escaping @Sendable (Result<Registration.Outcome, StoreError>) -> Void
    ) {
        if let hindrance { return completion(.failure(hindrance)) }
        let offset = offset(for: registration.now)
        queue.submit(
            PostgresJob(registering: offset.databaseTime(registration), audience, isAwaited: isAwaited) { result in
                completion(result.map { offset.localTime($0) })
            })
    }

    package func devices(_ filter: DeviceFilter, after: Device.Key?, limit: Int) throws(StoreError) -> [Device] {
        StoreRules.check(limit: limit)
        let offset = offset(for: clock())
        return offset.localTime(try read { session throws(PostgresError) in try session.devices(filter, after: after, limit: limit) })
    }

    package func removeDevices(_ filter: DeviceFilter, now: UnixMilliseconds, telling audience: RegistryAudience) throws(StoreError) -> Int
    {
        try removeDevices(filter, .operatorRemoved, now: now, telling: audience)
    }

    func removeDevices(
        _ filter: DeviceFilter, _ reason: RegistryChange.Reason, now: UnixMilliseconds, telling audience: RegistryAudience
    ) throws(StoreError) -> Int {
        StoreRules.checkRemoval(filter)
        var count = 0
        let now = offset(for: now).databaseTime(now)
        while true {
            let step = try change(telling: audience) { batch throws(PostgresError) in
                let step = try RegistryTransition.remove(filter, reason, now: now, limit: settings.rowsPerCommit, in: batch.unit)
                try batch.apply(step.changes)
                return (removed: step.removed, dealtWith: step.dealtWith)
            }
            count += step.removed
            if step.dealtWith < settings.rowsPerCommit { return count }
        }
    }

    package func removeIdleDevices(
        seenBefore: UnixMilliseconds, now: UnixMilliseconds, limit: Int, telling audience: RegistryAudience
    ) throws(StoreError) -> Int {
        StoreRules.check(limit: limit)
        let offset = offset(for: now)
        let (seenBefore, now) = (offset.databaseTime(seenBefore), offset.databaseTime(now))
        return try change(telling: audience) { batch throws(PostgresError) in
            let idle = try batch.unit.loadIdle(seenBefore: seenBefore, limit: limit)
            for device in idle { try batch.apply(RegistryTransition.removeIdle(device, now: now)) }
            try batch.unit.forgetIdleCalls(before: seenBefore)
            return idle.count
        }
    }

    package func work(
        _ finished: [FinishedAttempt], _ claims: [Claim], telling audience: RegistryAudience
    ) throws(StoreError) -> [Result<Claimed, StoreError>] {
        for claim in claims { StoreRules.check(claim) }
        let offset = offset(for: claims.first?.now ?? finished.first?.now ?? clock())
        let (finished, claims) = (offset.databaseTime(finished), offset.databaseTime(claims))
        let results = try change(telling: audience) { batch throws(PostgresError) in
            let work = DeliveryTransaction(batch)
            try work.finish(finished)
            // Writes the registry changes of the outcomes, so that the claims read them.
            try batch.write()
            return try work.claim(claims)
        }
        return results.map { $0.map { offset.localTime($0) } }
    }

    /// Runs on the dispatcher's connection, after its last commit.
    package func claimedAttempts() throws(StoreError) -> [ClaimedAttempt] {
        try use { session throws(PostgresError) in try session.claimedAttempts() }
    }

    package func page(of filter: DeliveryFilter, after: DeliveryCursor?, limit: Int) throws(StoreError) -> DeliveryPage {
        StoreRules.check(limit: limit)
        let end = SystemClock.monotonicMilliseconds() + settings.searchMilliseconds
        let offset = offset(for: clock())
        // Reads one delivery more than the page shows, to detect whether more exist.
        let walk = try search(offset.databaseTime(filter), before: DeliveryKey(after), limit: limit + 1, until: end)
        return offset.localTime(walk.page(limit: limit))
    }

    /// The matching deliveries before a position, newest first.
    /// - Parameter filter: its times, like those of the result, are by the database's clock.
    func search(
        _ filter: DeliveryFilter, before: DeliveryKey, limit: Int, until end: MonotonicMilliseconds
    ) throws(StoreError) -> DeliveryWalk {
        let named = try read { session throws(PostgresError) in try session.named(filter, before: before, limit: limit) }
        if let named { return DeliveryWalk(named) }
        let events = try read { session throws(PostgresError) in try session.eventNumbers() }
        return try DeliveryWalk(before: before, among: events, limit: limit, settings, until: end) {
            before, last, limit throws(StoreError) in
            try read { session throws(PostgresError) in try session.step(filter, before: before, downTo: last, limit: limit) }
        }
    }

    package func story(of id: UUIDv7) throws(StoreError) -> DeliveryStory? {
        let offset = offset(for: clock())
        return offset.localTime(try read { session throws(PostgresError) in try session.story(of: id) })
    }

    package func incoming(ofForgotten comment: HelpDeskID, appID: String) throws(StoreError) -> UnixMilliseconds? {
        let offset = offset(for: clock())
        return offset.localTime(try read { session throws(PostgresError) in try session.incoming(ofForgotten: comment, appID: appID) })
    }

    /// The time that this process kept: processes that share a database do not store it for each other.
    package func trustedTime() throws(StoreError) -> TrustedTime? { status.withLock { $0.time } }

    /// Applies to this process alone.
    package func keep(_ time: TrustedTime) throws(StoreError) { status.withLock { $0.time = time } }

    package func pending() throws(StoreError) -> [PendingDeliveries] {
        let offset = offset(for: clock())
        return offset.localTime(try ask(on: watcher) { session throws(PostgresError) in try session.pending() })
    }

    package func dead() throws(StoreError) -> DeadCounts {
        let offset = offset(for: clock())
        return offset.localTime(try ask(on: watcher) { session throws(PostgresError) in try session.deadCounts() })
    }

    /// Limits the wait for new work, because other processes store events and release leases without notifying this one.
    package var pollMilliseconds: UInt64? { 2000 }

    /// The value of the last heartbeat.
    package var clockOffsetMilliseconds: Int64? { status.withLock { $0.heartbeat }?.clock.aheadMilliseconds }

    /// The value of the last heartbeat.
    package var replicaStatus: ReplicaStatus {
        let now = SystemClock.monotonicMilliseconds()
        return status.withLock { $0.heartbeat }?.status(now: now) ?? .alone
    }

    package var refused: [RefusedDeliveries] { RefusedDeliveries.list(status.withLock { $0.refused }) }

    package var refusal: StoreError? { status.withLock { $0.refusal(settings) } }

    @discardableResult
    package func close() -> StoreError? {
        let wasClosed = status.withLock { status in
            defer { status.isClosed = true }
            return status.isClosed
        }
        guard !wasClosed else { return nil }
        queue.close()
        writer.join()
        worker.withLock { session in
            // Best effort: if this fails, other processes wait until this process's leases expire. The row is kept when the store is to be
            // reopened, because its attempts are still in progress and other processes must not repeat them.
            if status.withLock({ $0.hindrance }) == nil { try? session?.leave() }
            session = nil
        }
        // If the cancellation fails, a read continues until its timeout.
        _ = try? readCanceller.withLock { $0 }?.cancel(by: .after(milliseconds: Self.cancelMilliseconds))
        for reader in [reader, watcher] { reader.withLock { $0 = nil } }
        return nil
    }

    private static let cancelMilliseconds: UInt64 = TimeLimit.milliseconds(1000)

    /// The reason why nothing can be stored now; while it is set, calls do not wait in the queue.
    var hindrance: StoreError? { status.withLock { $0.hindrance } }

    /// Returns the difference between this process's clock and the database's clock, for a moment on this process's clock.
    func offset(for moment: UnixMilliseconds) -> ClockOffset { status.withLock { $0.offset(for: moment) } }
}

extension PostgresStore {
    /// Reads on the connection of operators, in a read-only transaction whose statements the server ends after the read timeout. The
    /// transaction neither waits for writers nor blocks them.
    func read<Value>(_ body: (PostgresSession) throws(PostgresError) -> Value) throws(StoreError) -> Value {
        try ask(on: reader) { session throws(PostgresError) in
            readCanceller.withLock { $0 = $0 ?? session.connection.cancelHandle() }
            return try session.reading(milliseconds: settings.readMilliseconds) { () throws(PostgresError) in try body(session) }
        }
    }

    /// Runs `body` on a connection that is opened by the first query and reopened after a loss.
    func ask<Value>(
        on reader: Monitor<PostgresSession?>, _ body: (PostgresSession) throws(PostgresError) -> Value
    ) throws(StoreError) -> Value {
        let result = reader.withLock { session -> Result<Value, StoreError> in
            guard !status.withLock({ $0.isClosed }) else { return .failure(.closed) }
            do throws(PostgresError) {
                let open = if let session { session } else { try PostgresSession(address, replica: replica) }
                session = open
                return .success(try body(open))
            } catch {
                if error.isConnectionLost {
                    session = nil
                    if reader === self.reader { readCanceller.withLock { $0 = nil } }
                }
                guard error.sqlState == .queryCanceled else { return .failure(StoreError(error)) }
                return .failure(status.withLock { $0.isClosed } ? .closed : .tooLong(settings.readMilliseconds))
            }
        }
        return try result.get()
    }

    /// Runs a maintenance transaction, which stores no events.
    func upkeep<Value>(_ body: (DeliveryTransaction) throws(PostgresError) -> Value) throws(StoreError) -> Value {
        try change(telling: .nobody) { batch throws(PostgresError) in try body(DeliveryTransaction(batch)) }
    }

    func change<Value>(
        telling audience: RegistryAudience, _ body: (PostgresBatch) throws(PostgresError) -> Value
    ) throws(StoreError) -> Value {
        let (value, batch) = try use { session throws(PostgresError) in
            try session.transaction { session throws(PostgresError) in
                let (known, isFull) = status.withLock {
                    ($0.depth.fresh(SystemClock.monotonicMilliseconds()), $0.isFull(settings))
                }
                let batch = PostgresBatch(UnitOfWork(session, settings: settings), known, random: random)
                batch.audience = audience
                // Other processes may have made room in the queue. A full queue accepts nothing, so no other transaction would detect that.
                if isFull, known == nil { batch.depth.take(try session.depth()) }
                let value = try body(batch)
                return ((value, batch), try batch.flush())
            }
        }
        status.withLock { $0.note(batch) }
        return value
    }

    func use<Value>(_ body: (PostgresSession) throws(PostgresError) -> Value) throws(StoreError) -> Value {
        let result = worker.withLock { session -> Result<Value, StoreError> in
            guard let session else { return .failure(.closed) }
            do throws(PostgresError) {
                return .success(try body(session))
            } catch {
                return .failure(status.withLock { $0.note(error) })
            }
        }
        return try result.get()
    }
}
