internal import Core
internal import SQLite
internal import Threading
internal import Time

/// Moves pages from the log to the database, on a thread and a connection of its own, so that commits wait for it only a moment.
///
/// A log is begun anew only once all of it has been moved, and while the writer goes on there is always a rest. So this thread moves what there
/// is, and again what has come meanwhile, and leaves the last few pages to the writer. The writer decides on each pass, as `CheckpointPlan` says.
final class Checkpointer {
    private enum Stage {
        case resting
        /// The thread moves pages, or is about to.
        case moving
        /// It has moved so many of the log's pages.
        case moved(Int)
        case closed
    }

    private struct State {
        var stage = Stage.resting
        /// Why the disk did not take pages of the database.
        var failure: SQLiteError?
    }

    private let state: Monitor<State>
    private let thread: OwnThread
    private var plan: CheckpointPlan
    private let eraseAfterMilliseconds: UInt64

    /// Opens the file once more, and starts the thread; `close` must be called before this is let go.
    /// - Parameter path: of a file that another connection has open, with the schema.
    /// - Throws: when the system has no room for either.
    init(path: String, settings: StoreSettings) throws(StoreError) {
        let state = Monitor(State())
        self.state = state
        plan = CheckpointPlan(leastPages: settings.pagesBeforeCheckpoint)
        eraseAfterMilliseconds = settings.erasesLogAfterMilliseconds
        do {
            // Now and not when it is needed, when there might be too many open files.
            let connection = Monitor(try Connection(path: path, mode: .readWriteCreate))
            thread = try OwnThread { Self.run(connection, state) }
        } catch let error as SQLiteError {
            throw StoreError(error)
        } catch {
            throw StoreError(.unavailable, "\(error)")
        }
    }

    /// Does what the plan says, or has it done. The writer calls it after each commit.
    /// - Parameter isUrgent: whether pages are to be moved although none could be a while ago.
    /// - Throws: when the disk did not take pages of the database. They are still in the log, but only as long as nobody moves others: the system
    ///   forgets what it could not write, and would report success the next time. So nothing is moved any more.
    func tend(_ database: WritingDatabase, isUrgent: Bool) throws(SQLiteError) {
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
    /// - Returns: false when the disk did not take pages of the database, which are in the log still.
    func close() -> Bool {
        state.update { $0.stage = .closed }
        thread.join()
        return state.withLock { $0.failure == nil }
    }

    private func finish(_ database: WritingDatabase) throws(SQLiteError) {
        var isEmpty = false
        do throws(SQLiteError) {
            isEmpty = try database.moveLog()
            if isEmpty, isEmptyingDue(database) {
                // Tried again in a while when somebody reads there.
                database.forgottenAt = try database.emptyLog() ? nil : SystemClock.monotonicMilliseconds()
            }
        } catch {
            Self.note(error, state)
        }
        plan.finished(logged: database.loggedPages, isEmpty: isEmpty)
        state.withLock { $0.stage = .resting }
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    private func isEmptyingDue(_ database: WritingDatabase) -> Bool {
        database.forgottenAt.map { SystemClock.monotonicMilliseconds() >= $0 + eraseAfterMilliseconds } ?? false
    }

    private static func run(_ connection: Monitor<Connection>, _ state: Monitor<State>) {
        while hasWork(state) {
            let moved = connection.withLock { pass($0, state) }
            state.withLock { if case .moving = $0.stage { $0.stage = .moved(moved) } }
        }
    }

    /// - Returns: how many of the log's pages have been moved by now; 0 when that failed.
    private static func pass(_ connection: Connection, _ state: Monitor<State>) -> Int {
        do throws(SQLiteError) {
            let moved = try connection.checkpoint(truncate: false).moved
            // Otherwise the writer, who moves the last page, would wait for the disk to take all of them.
            try connection.syncDatabase()
            return moved
        } catch {
            note(error, state)
            return 0
        }
    }

    /// Remembers a failure of the disk; whatever else it is may be over the next time.
    private static func note(_ error: SQLiteError, _ state: Monitor<State>) {
        if error.isIOError { state.withLock { $0.failure = error } }
    }

    /// Waits until there is something to move.
    /// - Returns: false at the end.
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
