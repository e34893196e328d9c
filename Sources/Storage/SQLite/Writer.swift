internal import Core
internal import POSIX
internal import SQLite
internal import Threading
internal import Time

/// The one thread that writes: it makes whatever waits durable with one commit, and while the disk is at it the next ones gather.
///
/// It lives on its own thread alone.
final class Writer {
    let database: WritingDatabase
    let lock: DatabaseLock
    let status: Monitor<StoreStatus>
    /// Where the files were when they were opened, and what has become of them.
    var files: WatchedFiles
    private let settings: StoreSettings
    private let queue: WriterQueue
    private let checkpointer: Checkpointer
    /// When a long log is looked at again.
    private var looksAtLogAt: MonotonicMilliseconds = 0

    init(
        _ opened: DatabaseFile.Opened, _ lock: DatabaseLock, _ checkpointer: Checkpointer, settings: StoreSettings, queue: WriterQueue,
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
            // Whoever asks meanwhile sees for how long the disk has been at it.
            status.withLock { $0.busySince = SystemClock.monotonicMilliseconds() }
            switch next {
            case .jobs(let jobs): work(jobs)
            case .idle:
                probe()
                tendLog()
            case .closed: return close()
            }
            status.withLock { $0.busySince = nil }
        }
    }

    private func close() {
        let isInPlace = obstacle() == nil
        // First, because the last connection empties the log and removes it.
        let isComplete = checkpointer.close()
        database.close(keepsLog: !isComplete || !isInPlace)
    }

    private func work(_ jobs: [WriterJob]) {
        checkDisk()
        commit(jobs[...])
        queue.done(jobs)
        tendLog()
    }

    /// Commits a batch. What one job broke is done again job by job, so that only that one fails.
    ///
    /// It looks for the files before and after: nothing is answered, be it that nothing was to be changed, that the next start would not find.
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
            // Damage does not heal, even where something could still be written.
            if status.failure?.kind != .corrupt { status.failure = nil }
        }
        return value
    }

    /// Remembers why something could not be written.
    func note(_ failure: StoreError) {
        status.withLock { if $0.failure?.kind != .corrupt { $0.failure = failure } }
        if failure.kind == .corrupt { database.refusal = failure }
    }

    /// Finds out whether an idle store that could not write can again.
    private func probe() {
        checkDisk()
        guard obstacle() == nil, let kind = status.withLock({ $0.failure?.kind }), kind != .corrupt else { return }
        touch()
    }

    /// Writes something that changes nothing, to see whether that works.
    func touch() {
        do throws(SQLiteError) {
            try transaction { () throws(SQLiteError) in try database.touch() }
        } catch {
            note(StoreError(error))
        }
    }

    private func checkDisk() {
        // What cannot be asked is left to the writes themselves.
        let free = (try? FileSystem.freeBytes(at: files.known.path)) ?? .max
        let isLow = free < settings.minimumFreeBytes
        guard isLow != database.isDiskLow else { return }
        database.isDiskLow = isLow
        status.withLock { $0.lowDisk = isLow ? .freeSpace(settings.minimumFreeBytes) : nil }
    }

    /// Has the log's pages moved, and looks how long it has become.
    private func tendLog() {
        guard obstacle() == nil else { return }
        let isLong = database.loggedPages > settings.maximumLogPages
        let now = SystemClock.monotonicMilliseconds()
        let looksAgain = isLong && now >= looksAtLogAt
        if looksAgain { looksAtLogAt = now + settings.probeIntervalMilliseconds }
        do throws(SQLiteError) {
            try checkpointer.tend(database, isUrgent: looksAgain)
        } catch {
            status.withLock { $0.ended = .notKept(error) }
        }
        guard looksAgain || isLong != (database.longLog != nil) else { return }
        database.longLog = isLong ? .longLog(pages: settings.maximumLogPages, reader: lock.otherUser) : nil
        status.withLock { $0.longLog = database.longLog }
    }
}

extension SQLiteError {
    /// Whether everything that is written would fail like this, and not only what one job wanted.
    var concernsFile: Bool {
        isFull || isBusy || isCorrupt || isReadOnly || isIOError || isCannotOpen
    }
}
