package import Core
internal import POSIX
internal import SQLite
internal import Threading
package import Time

/// The store in one SQLite file, for one process. Every reported change survives a crash of the process and a loss of power.
///
/// One thread writes and makes all waiting calls durable in one commit. Readers have their own connections, so that a long list delays
/// neither acceptance nor the next claim. The caller must call `close` before it releases the store.
package final class SQLiteStore: Store {
    let path: String
    package let isNew: Bool
    let settings: StoreSettings
    let queue: WriterQueue<WriterJob>
    let status = Monitor(StoreStatus())
    let sweepPositions = Monitor<[UUIDv7: Device.Key]>([:])
    private let writer: DedicatedThread
    let listReader: Monitor<ReadingDatabase?>
    /// Reads for metrics, so that operators' lists do not delay them.
    let metricsReader: Monitor<ReadingDatabase?>

    /// Opens a file, or creates it with mode 0600 in an existing directory. SQLite adds `-wal` and `-shm` files beside it.
    ///
    /// Deliveries leased by an earlier process are due at once, because the lock on the file proves that no other process works on them;
    /// their last attempts get the outcome and reason `interrupted`. After a run that did not end with `close`, the file is checked for
    /// damage, unless it is larger than `maximumCheckedBytes`.
    /// - Parameters:
    ///   - movesAgain: whether an earlier store failed with `notOpen` because the disk rejected pages of the database. Then all pages of
    ///     the log are moved again, and no other process may have the file open.
    ///   - random: generates the ids of the registry's events.
    /// - Throws: `unavailable` when another process uses the file or it cannot be written; `corrupt` when it is damaged, is not a store,
    ///   was written by a newer version, or lacks the log of a run that was not closed. The description contains the remedy.
    package init(
        path: String, settings: StoreSettings = StoreSettings(), movesAgain: Bool = false,
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) throws(StoreError) {
        precondition(settings.maximumBatch > 0, "a commit contains at least one call")
        self.settings = settings
        self.path = path
        isNew = !File.exists(path)
        let queue = WriterQueue<WriterJob>(limit: settings.maximumQueued, batch: settings.maximumBatch)
        self.queue = queue
        let status = status
        writer = try startWriter { opened throws(StoreError) in
            let lock = try DatabaseFile.lock(path)
            let file = try DatabaseFile.open(path, lock: lock, movesAgain: movesAgain, settings: settings, random: random)
            status.withLock { ($0.counts, $0.lock) = (file.database.counts, lock) }
            let checkpointer = try Checkpointer(path: path, settings: settings)
            opened()
            Writer(file, lock: lock, checkpointer: checkpointer, settings: settings, queue: queue, status: status).run()
            status.withLock { $0.lock = nil }
            // Unlocked last, after the file is closed.
            withExtendedLifetime(lock) {}
        }
        do throws(StoreError) {
            // `close` ends the reads in progress and waits for them.
            let isStopping: @Sendable () -> Bool = { status.withLock { $0.isClosed } }
            listReader = Monitor(try DatabaseFile.openForReading(path, settings, until: ReadingEnd(isStopping: isStopping)))
            metricsReader = Monitor(try DatabaseFile.openForReading(path, settings, until: ReadingEnd(isStopping: isStopping)))
        } catch {
            queue.close()
            writer.join()
            throw error
        }
    }

    package func accept(
        _ incoming: IncomingEvent, telling audience: RegistryAudience, isAwaited: @escaping @Sendable () -> Bool,
        completion: @escaping @Sendable (Result<Acceptance, StoreError>) -> Void
    ) {
        queue.submit(
            WriterJob(.comments, isAwaited: isAwaited, completion: completion) { database throws(SQLiteError) in
                try database.accept(incoming, audience)
            })
    }

    package func accept(
        _ report: Report, isAwaited: @escaping @Sendable () -> Bool,
        completion: @escaping @Sendable (Result<ReportOutcome, StoreError>) -> Void
    ) {
        queue.submit(
            WriterJob(.comments, isAwaited: isAwaited, completion: completion) { database throws(SQLiteError) in try database.accept(report)
            })
    }

    package func register(
        _ registration: Registration, telling audience: RegistryAudience, isAwaited: @escaping @Sendable () -> Bool,
        completion: @escaping @Sendable (Result<Registration.Outcome, StoreError>) -> Void
    ) {
        queue.submit(
            WriterJob(.registrations, isAwaited: isAwaited, completion: completion) { database throws(SQLiteError) in
                try database.register(registration, audience)
            })
    }

    package func devices(_ filter: DeviceFilter, after: Device.Key?, limit: Int) throws(StoreError) -> [Device] {
        StoreRules.check(limit: limit)
        if let userID = filter.userID { return try devices(filter, of: userID, after: after, limit: limit) }
        var found: [Device] = []
        let (end, rows) = (readingEnd, Int(settings.eventsPerStep))
        var place = after
        while found.count < limit {
            let (from, wanted) = (place, limit - found.count)
            let step = try read(listReader, until: end) { database throws(SQLiteError) in
                try database.step(filter, after: from, rows: rows, limit: wanted)
            }
            found += step.found
            guard let next = step.next else { break }
            place = next
        }
        return found
    }

    private func devices(_ filter: DeviceFilter, of userID: String, after: Device.Key?, limit: Int) throws(StoreError) -> [Device] {
        var place = ""
        if let after {
            guard !userID.utf8.lexicographicallyPrecedes(after.userID.utf8) else { return [] }
            if after.userID.utf8.elementsEqual(userID.utf8) { place = after.deviceID }
        }
        let from = place
        return try read(listReader) { database throws(SQLiteError) in try database.devices(filter, of: userID, after: from, limit: limit) }
    }

    /// Runs in several transactions; other calls run between them.
    package func removeDevices(_ filter: DeviceFilter, now: UnixMilliseconds, telling audience: RegistryAudience) throws(StoreError) -> Int
    {
        try removeDevices(filter, .operatorRemoved, now: now, telling: audience)
    }

    func removeDevices(
        _ filter: DeviceFilter, _ reason: RegistryChange.Reason, now: UnixMilliseconds, telling audience: RegistryAudience
    ) throws(StoreError) -> Int {
        StoreRules.checkRemoval(filter)
        let limit = settings.rowsPerCommit
        var count = 0
        while true {
            let step = try queue.perform { database throws(SQLiteError) in
                try database.removeDevices(filter, reason: reason, now: now, limit: limit, audience: audience)
            }
            count += step.removed
            if step.dealtWith < limit { return count }
        }
    }

    package func removeIdleDevices(
        seenBefore: UnixMilliseconds, now: UnixMilliseconds, limit: Int, telling audience: RegistryAudience
    ) throws(StoreError) -> Int {
        StoreRules.check(limit: limit)
        return try queue.perform { database throws(SQLiteError) in
            try database.removeIdleDevices(seenBefore: seenBefore, now: now, limit: limit, audience)
        }
    }

    package func work(
        _ finished: [FinishedAttempt], _ claims: [Claim], telling audience: RegistryAudience
    ) throws(StoreError) -> [Result<Claimed, StoreError>] {
        for claim in claims { StoreRules.check(claim) }
        return try queue.perform { database throws(SQLiteError) in try database.work(finished, claims: claims, audience: audience) }
    }

    package func page(of filter: DeliveryFilter, after: DeliveryCursor?, limit: Int) throws(StoreError) -> DeliveryPage {
        StoreRules.check(limit: limit)
        let end = SystemClock.monotonicMilliseconds() + settings.searchMilliseconds
        // One more than the limit shows whether there are more.
        return try search(filter, before: DeliveryKey(after), limit: limit + 1, until: end).page(limit: limit)
    }

    private func search(
        _ filter: DeliveryFilter, before: DeliveryKey, limit: Int, until end: MonotonicMilliseconds
    ) throws(StoreError) -> DeliveryWalk {
        if let named = try read(listReader, { database throws(SQLiteError) in try database.named(filter, before: before, limit: limit) }) {
            return DeliveryWalk(named)
        }
        let events = try read(listReader) { database throws(SQLiteError) in try database.events() }
        return try DeliveryWalk(before: before, among: events, limit: limit, settings, until: end) {
            before, last, limit throws(StoreError) in
            try read(listReader) { database throws(SQLiteError) in try database.step(filter, before: before, downTo: last, limit: limit) }
        }
    }

    package func story(of id: UUIDv7) throws(StoreError) -> DeliveryStory? {
        try read(listReader) { database throws(SQLiteError) in try database.story(of: id) }
    }

    package func incoming(ofForgotten comment: HelpDeskID, appID: String) throws(StoreError) -> UnixMilliseconds? {
        try read(listReader) { database throws(SQLiteError) in try database.incoming(ofForgotten: comment, appID: appID) }
    }

    /// A reader finds them, so that the writer only writes.
    package func retry(
        _ filter: DeliveryFilter, after: DeliveryCursor?, limit: Int, now: UnixMilliseconds, expiresAt: UnixMilliseconds
    ) throws(StoreError) -> RetryStep {
        StoreRules.check(limit: limit)
        guard filter.state ?? .dead == .dead else { return RetryStep() }
        var dead = filter
        dead.state = .dead
        return try RetryStep(after: after, limit: limit, perCommit: settings.rowsPerCommit) { before, limit throws(StoreError) in
            try search(dead, before: before, limit: limit, until: .max).found.map { DeliveryKey($0.place) }
        } revive: { keys throws(StoreError) in
            try queue.perform { database throws(SQLiteError) in try database.revive(keys, now: now, expiresAt: expiresAt) }
        }
    }

    /// The counts are in memory, so the cost does not grow with the number of pending deliveries.
    package func pending() throws(StoreError) -> [PendingDeliveries] {
        let counts = status.withLock { $0.counts.pending.byNotifier }
        return try read(metricsReader) { database throws(SQLiteError) in
            var pending: [PendingDeliveries] = []
            for (name, count) in counts.sorted(by: { $0.key < $1.key }) {
                // The deliveries may have ended since they were counted.
                guard let oldest = try database.oldestReceivedAt(notifier: name.text) else { continue }
                pending.append(PendingDeliveries(notifier: name.text, count: count, oldestReceivedAt: oldest))
            }
            return pending
        }
    }

    package func dead() throws(StoreError) -> DeadCounts {
        try read(metricsReader) { database throws(SQLiteError) in try database.deadCounts() }
    }

    package var refused: [RefusedDeliveries] { RefusedDeliveries.list(status.withLock { $0.counts.refused }) }

    package var refusal: StoreError? {
        status.withLock { $0.refusal(settings, now: SystemClock.monotonicMilliseconds()) }
    }

    /// The number of commits, for measurements: lower than the number of calls when many arrive at once.
    package var commits: Int { status.withLock { $0.commits } }

    /// Finishes accepted calls, and moves the log to the database. Must not be called on the store's own thread.
    @discardableResult
    package func close() -> StoreError? {
        let wasClosed = status.withLock { status in
            defer { status.isClosed = true }
            return status.isClosed
        }
        guard !wasClosed else { return nil }
        // Readers are closed first: SQLite removes the log with the last connection only if that one writes, and the writer closes as soon
        // as it can.
        for reader in [listReader, metricsReader] { reader.withLock { $0 = nil } }
        queue.close()
        writer.join()
        return status.withLock { $0.unclosed }
    }

    /// The end of a read that begins now.
    private var readingEnd: MonotonicMilliseconds { SystemClock.monotonicMilliseconds() + settings.readMilliseconds }

    /// Reads on one of the connections. Never waits for the writer.
    /// - Parameter end: the time at which the read is ended; nil for the maximum duration of a read.
    /// - Throws: any error of `body`, or `tooLong`.
    func read<Value>(
        _ reader: Monitor<ReadingDatabase?>, until end: MonotonicMilliseconds? = nil, _ body: (ReadingDatabase) throws(SQLiteError) -> Value
    ) throws(StoreError) -> Value {
        let result = reader.withLock { database -> Result<Value, StoreError> in
            guard let database else { return .failure(.closed) }
            database.end.moment = end ?? readingEnd
            do throws(SQLiteError) {
                return .success(try body(database))
            } catch {
                guard error.isInterrupted else { return .failure(StoreError(error)) }
                return .failure(status.withLock { $0.isClosed } ? .closed : .tooLong(settings.readMilliseconds))
            }
        }
        return try result.get()
    }
}
