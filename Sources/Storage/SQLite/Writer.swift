internal import Core
internal import POSIX
internal import SQLite
internal import Threading
internal import Time

/// Group commit: makes all waiting jobs durable with one commit, while further jobs queue.
///
/// Only the writer's thread may use it.
final class Writer {
    let database: WritingDatabase
    let lock: DatabaseLock
    let status: Monitor<StoreStatus>
    /// The files as they were opened, and the missing ones among them.
    var files: WatchedFiles
    private let settings: StoreSettings
    private let queue: WriterQueue<WriterJob>
    private let checkpointer: Checkpointer
    private var checksLogAt: MonotonicMilliseconds = 0

    init(
        _ opened: DatabaseFile.Opened, lock: DatabaseLock, checkpointer: Checkpointer, settings: StoreSettings,
        queue: WriterQueue<WriterJob>,
        status: Monitor<StoreStatus>
    ) {
        database = opened.database
        files = WatchedFiles(opened.files)
        self.lock = lock
        self.checkpointer = checkpointer
        self.settings = settings
        self.queue = queue
        self.status = status
    }

    /// Works until the queue is closed and empty, then closes the file.
    func run() {
        while true {
            let next = queue.next(idleAfterMilliseconds: settings.probeIntervalMilliseconds)
            // Shows other threads how long the writer has been busy.
            status.withLock { $0.busySince = SystemClock.monotonicMilliseconds() }
            switch next {
            case .jobs(let jobs): work(jobs)
            case .idle:
                probe()
                checkpointIfDue()
            case .closed: return close()
            }
            status.withLock { $0.busySince = nil }
        }
    }

    private func close() {
        // Closed first, because its passes would prevent the log from being moved, and because the last connection to close removes the
        // log.
        let refused = checkpointer.close()
        // Data that could not be saved a moment ago would be lost with the open descriptors.
        files.savesAt = 0
        let obstacle = obstacle()
        do throws(SQLiteError) {
            // The next start moves all of the log again.
            if let refused { throw refused }
            // Either all data was saved and marked as closed in its new place, or it could not be saved.
            if obstacle == nil { try database.endRun() } else if !files.isSaved { status.withLock { $0.unclosed = obstacle } }
        } catch {
            status.withLock { $0.unclosed = .notClosed(files.known.path, error) }
        }
        database.close()
    }

    private func work(_ jobs: [WriterJob]) {
        checkDisk()
        commit(jobs[...])
        queue.done(jobs)
        checkpointIfDue()
    }

    /// Commits a batch. If a job's own error rolls it back, every job is run again in its own transaction, so that only the faulty one
    /// fails.
    ///
    /// Checks the files before and after: a job is never reported as done unless the next start would find its data. This includes jobs
    /// that wrote nothing.
    private func commit(_ batch: ArraySlice<WriterJob>) {
        if let obstacle = obstacle() { return refuse(batch, obstacle) }
        do throws(SQLiteError) {
            let reports = try transaction { () throws(SQLiteError) in
                var reports: [@Sendable () -> Void] = []
                reports.reserveCapacity(batch.count)
                for job in batch { reports.append(try job.run(database)) }
                return reports
            }
            if let obstacle = obstacle() { return refuse(batch, obstacle) }
            for report in reports { report() }
        } catch {
            if batch.count > 1, !error.concernsFile {
                for index in batch.indices { commit(batch[index...index]) }
            } else {
                if error.concernsFile { note(StoreError(error)) }
                refuse(batch, StoreError(error))
            }
        }
    }

    private func refuse(_ batch: ArraySlice<WriterJob>, _ error: StoreError) {
        for job in batch { job.fail(error) }
    }

    private func transaction<Value>(_ body: () throws(SQLiteError) -> Value) throws(SQLiteError) -> Value {
        let value = try database.transaction(body)
        status.withLock { status in
            status.counts = database.counts
            status.commits += 1
            // Damage remains reported, even if some pages can still be written.
            if status.failure?.kind != .corrupt { status.failure = nil }
        }
        return value
    }

    func note(_ failure: StoreError) {
        status.withLock { if $0.failure?.kind != .corrupt { $0.failure = failure } }
        if failure.kind == .corrupt { database.refusal = failure }
    }

    /// Checks whether an idle store whose writes failed can write again.
    private func probe() {
        checkDisk()
        guard obstacle() == nil, let kind = status.withLock({ $0.failure?.kind }), kind != .corrupt else { return }
        touch()
    }

    /// Writes an unchanging value, to test whether the disk accepts writes.
    func touch() {
        do throws(SQLiteError) {
            try transaction { () throws(SQLiteError) in try database.touch() }
        } catch {
            note(StoreError(error))
        }
    }

    private func checkDisk() {
        // If the system cannot report the free space, the writes themselves will fail.
        let free = (try? FileSystem.freeBytes(at: files.known.path)) ?? .max
        let isLow = free < settings.minimumFreeBytes
        guard isLow != database.isDiskLow else { return }
        database.isDiskLow = isLow
        status.withLock { $0.lowDisk = isLow ? .freeSpace(settings.minimumFreeBytes) : nil }
    }

    /// Runs the checkpointer's next step, and checks the length of the log.
    private func checkpointIfDue() {
        guard obstacle() == nil else { return }
        let isLong = database.loggedPages > settings.maximumLogPages
        let now = SystemClock.monotonicMilliseconds()
        let checksAgain = isLong && now >= checksLogAt
        if checksAgain { checksLogAt = now + settings.probeIntervalMilliseconds }
        do throws(SQLiteError) {
            try checkpointer.runIfDue(database, isUrgent: checksAgain)
        } catch {
            status.withLock { $0.ended = .notKept(error) }
        }
        guard checksAgain || isLong != (database.longLog != nil) else { return }
        database.longLog = isLong ? .longLog(pages: settings.maximumLogPages, reader: lock.otherUser) : nil
        status.withLock { $0.longLog = database.longLog }
    }
}

extension SQLiteError {
    /// Whether every write would fail with this error, not only that of one job.
    var concernsFile: Bool {
        isFull || isBusy || isCorrupt || isReadOnly || isIOError || isCannotOpen
    }
}
