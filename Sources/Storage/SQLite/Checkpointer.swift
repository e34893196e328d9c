internal import Core
internal import SQLite
internal import Threading
internal import Time

/// Moves pages from the log to the database, on its own thread and connection, so that commits wait only a moment for it.
///
/// SQLite restarts the log only once all its pages have been moved, and while the writer continues some always remain. So this thread moves
/// the existing pages, then those added in the meantime, and leaves the last few to the writer. The writer decides on each pass with
/// `CheckpointPlan`.
final class Checkpointer {
    private enum Stage {
        case resting
        /// The thread moves pages, or is about to begin.
        case moving
        /// A pass has ended; this many of the log's pages are moved.
        case moved(Int)
        case closed
    }

    private struct State {
        var stage = Stage.resting
        /// The error with which the disk refused pages of the database.
        var failure: SQLiteError?
    }

    private let state: Monitor<State>
    private let thread: DedicatedThread
    private var plan: CheckpointPlan

    /// Opens a second connection to the file, and starts the thread. The caller must call `close` before it releases this object.
    /// - Parameter path: a file with the schema that another connection has open.
    /// - Throws: when the connection cannot be opened or the thread cannot be started.
    init(path: String, settings: StoreSettings) throws(StoreError) {
        let state = Monitor(State())
        self.state = state
        plan = CheckpointPlan(minimumPages: settings.pagesBeforeCheckpoint)
        do {
            // Opened now, because later the process may have too many open files.
            let connection = Monitor(try Connection(path: path, mode: .readWriteKeepingLog))
            thread = try DedicatedThread { Self.run(connection, state) }
        } catch let error as SQLiteError {
            throw StoreError(error)
        } catch {
            throw StoreError(.unavailable, "\(error)")
        }
    }

    /// Takes the plan's next step, here or on the thread. The writer calls it after each commit.
    /// - Parameter isUrgent: whether to move pages even if that failed a while ago.
    /// - Throws: when the disk refused pages of the database. They are still in the log as long as no other pages are moved: after a failed
    ///   fsync the kernel drops the pages and would report success the next time. So no further page is moved.
    func runIfDue(_ database: WritingDatabase, isUrgent: Bool) throws(SQLiteError) {
        let logged = database.loggedPages
        let (stage, failure) = state.withLock { ($0.stage, $0.failure) }
        if let failure { throw failure }
        if isUrgent { plan.hurry() }
        let step: CheckpointPlan.Step
        switch stage {
        case .resting:
            let usual = plan.step(logged: logged)
            step = usual == .nothing && isEmptyingDue(database) ? plan.emptying(logged: logged) : usual
        case .moved(let moved): step = plan.step(moved: moved, logged: logged)
        case .moving, .closed: return
        }
        switch step {
        case .nothing: state.withLock { $0.stage = .resting }
        case .pass: state.update { $0.stage = .moving }
        case .finish: try finish(database)
        }
    }

    /// Ends the thread, and closes its connection.
    /// - Returns: the error with which the disk refused pages of the database; they are still in the log.
    func close() -> SQLiteError? {
        state.update { $0.stage = .closed }
        thread.join()
        return state.withLock { $0.failure }
    }

    private func finish(_ database: WritingDatabase) throws(SQLiteError) {
        var isEmpty = false
        do throws(SQLiteError) {
            isEmpty = try database.moveLog()
            if isEmptyingDue(database) {
                let isEmptied = if isEmpty { try database.emptyLog() } else { false }
                database.isLogRead = !isEmptied
                if isEmpty { database.emptiesLogAt = nil }
                // While a process reads the log, the checkpoint is retried later.
                if isEmptied { database.emptyings += 1 } else { database.noteForgotten() }
            }
        } catch {
            Self.note(error, state)
        }
        plan.finished(logged: database.loggedPages, isEmpty: isEmpty)
        state.withLock { $0.stage = .resting }
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    private func isEmptyingDue(_ database: WritingDatabase) -> Bool {
        database.emptiesLogAt.map { SystemClock.monotonicMilliseconds() >= $0 } ?? false
    }

    private static func run(_ connection: Monitor<Connection>, _ state: Monitor<State>) {
        while hasWork(state) {
            let moved = connection.withLock { pass($0, state) }
            state.withLock { if case .moving = $0.stage { $0.stage = .moved(moved) } }
        }
    }

    /// - Returns: the number of the log's pages moved so far; 0 when the pass failed.
    private static func pass(_ connection: Connection, _ state: Monitor<State>) -> Int {
        do throws(SQLiteError) {
            let moved = try connection.checkpoint(truncate: false).moved
            // Otherwise the writer, which moves the last page, would have to wait until the disk has synced all pages.
            try connection.syncDatabase()
            return moved
        } catch {
            note(error, state)
            return 0
        }
    }

    /// Stores an I/O error; other errors, such as a busy database, may be temporary.
    private static func note(_ error: SQLiteError, _ state: Monitor<State>) {
        if error.isIOError { state.withLock { $0.failure = error } }
    }

    /// Waits until there are pages to move.
    /// - Returns: false when the checkpointer was closed.
    private static func hasWork(_ state: Monitor<State>) -> Bool {
        state.wait { state in
            switch state.stage {
            case .moving: true
            case .closed: false
            case .resting, .moved: nil
            }
        } ?? false
    }
}
