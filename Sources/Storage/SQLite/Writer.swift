internal import Core
internal import POSIX
internal import SQLite
internal import Threading

/// The one thread that writes: it makes whatever waits durable with one commit, and while the disk is at it the next ones gather.
///
/// It lives on its own thread alone.
final class Writer {
    private let path: String
    private let settings: StoreSettings
    private let queue: WriterQueue
    private let status: Monitor<StoreStatus>
    private let database: WritingDatabase
    private let checkpointer: Checkpointer
    private let pause = Monitor(())

    init(
        _ database: WritingDatabase, _ checkpointer: Checkpointer, path: String, settings: StoreSettings, queue: WriterQueue,
        status: Monitor<StoreStatus>
    ) {
        self.database = database
        self.checkpointer = checkpointer
        self.path = path
        self.settings = settings
        self.queue = queue
        self.status = status
    }

    /// Works until the queue is closed and empty, then closes the file.
    func run() {
        while true {
            switch queue.next(idleAfterMilliseconds: settings.probeIntervalMilliseconds) {
            case .jobs(let jobs): work(jobs)
            case .idle:
                probe()
                tendLog()
            case .closed: return close()
            }
        }
    }

    private func close() {
        // First, because the last connection empties the log and removes it.
        let isComplete = checkpointer.close()
        database.close(keepsLog: !isComplete)
    }

    private func tendLog() {
        do throws(SQLiteError) {
            try checkpointer.tend(database)
        } catch {
            note(.notKept(error))
        }
    }

    private func work(_ jobs: [WriterJob]) {
        checkDisk()
        commit(jobs[...])
        queue.done(jobs)
        tendLog()
    }

    /// Commits a batch. What one job broke is done again job by job, so that only that one fails.
    private func commit(_ batch: ArraySlice<WriterJob>) {
        do throws(SQLiteError) {
            let reports = try transaction { () throws(SQLiteError) in
                var reports: [@Sendable () -> Void] = []
                reports.reserveCapacity(batch.count)
                for job in batch { reports.append(try job.run(database)) }
                return reports
            }
            for report in reports { report() }
        } catch {
            if batch.count > 1, !error.concernsFile {
                for index in batch.indices { commit(batch[index...index]) }
            } else {
                fail(batch, error)
            }
        }
    }

    private func transaction<Value>(_ body: () throws(SQLiteError) -> Value) throws(SQLiteError) -> Value {
        let value = try database.transaction(body)
        if settings.commitDelayMilliseconds > 0 {
            _ = pause.wait(timeoutMilliseconds: settings.commitDelayMilliseconds) { _ in nil as Void? }
        }
        status.withLock { status in
            status.counts = database.counts
            status.commits += 1
            // Damage does not heal, even where something could still be written.
            if status.failure?.kind != .corrupt { status.failure = nil }
        }
        return value
    }

    private func fail(_ batch: ArraySlice<WriterJob>, _ error: SQLiteError) {
        let failure = StoreError(error)
        if error.concernsFile { note(failure) }
        for job in batch { job.fail(failure) }
    }

    private func note(_ failure: StoreError) {
        status.withLock { if $0.failure?.kind != .corrupt { $0.failure = failure } }
        if failure.kind == .corrupt { database.refusal = failure }
    }

    /// Finds out whether an idle store that could not write can again.
    private func probe() {
        checkDisk()
        let kind = status.withLock { $0.failure?.kind }
        guard let kind, kind != .corrupt else { return }
        do throws(SQLiteError) {
            try transaction { () throws(SQLiteError) in try database.touch() }
        } catch {
            note(StoreError(error))
        }
    }

    private func checkDisk() {
        // What cannot be asked is left to the writes themselves.
        let free = (try? FileSystem.freeBytes(at: path)) ?? .max
        let isLow = free < settings.minimumFreeBytes
        let isMissing = database.hasMoved
        guard (isLow, isMissing) != (database.isDiskLow, database.isMissing) else { return }
        (database.isDiskLow, database.isMissing) = (isLow, isMissing)
        status.withLock { ($0.isDiskLow, $0.isMissing) = (isLow, isMissing) }
    }
}

extension SQLiteError {
    /// Whether everything that is written would fail like this, and not only what one job wanted.
    fileprivate var concernsFile: Bool {
        isFull || isBusy || isCorrupt || isReadOnly || isIOError || isCannotOpen
    }
}
