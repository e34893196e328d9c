internal import Core
internal import SQLite
internal import Threading

/// Moves pages from the log to the database, on a thread and a connection of its own, so that commits wait for it only a moment.
///
/// A log is begun anew only once all of it has been moved, and while the writer goes on there is always a rest. So this thread moves what there
/// is, and again what has come meanwhile, and leaves the last few pages to the writer. What fails is tried again later, and nothing is lost by
/// it: the log keeps the pages, and is read together with the database.
final class Checkpointer: Sendable {
    private enum Stage {
        case resting
        /// The thread moves pages, or is about to.
        case moving
        /// What is left is for the writer.
        case nearlyDone
        case closed
    }

    /// How many pages the writer moves within some milliseconds.
    private static let fewPages = 500
    /// A writer that is as fast as this thread would keep it busy for ever.
    private static let mostPasses = 6

    private let leastPages: Int
    private let stage: Monitor<Stage>
    private let thread: OwnThread

    /// Starts the thread; `close` must be called before this is let go.
    /// - Parameter path: of a file that another connection has open, with the schema.
    /// - Throws: when the system has no room for a thread.
    init(path: String, settings: StoreSettings) throws(ThreadError) {
        let stage = Monitor(Stage.resting)
        self.stage = stage
        leastPages = settings.pagesBeforeCheckpoint
        thread = try OwnThread { Self.run(path, settings.busyTimeoutMilliseconds, stage) }
    }

    /// Has pages moved when there are many, or lets the writer move the last ones. The writer calls it between two transactions.
    func tend(_ database: WritingDatabase) {
        guard database.loggedPages >= leastPages else { return }
        let isNearlyDone = stage.withLock { $0 == .nearlyDone }
        if isNearlyDone { database.moveLog() }
        stage.update { stage in
            switch stage {
            case .resting: stage = .moving
            case .nearlyDone: stage = .resting
            case .moving, .closed: break
            }
        }
    }

    /// Ends the thread, and closes its connection.
    func close() {
        stage.update { $0 = .closed }
        thread.join()
    }

    private static func run(_ path: String, _ busyTimeoutMilliseconds: Int32, _ stage: Monitor<Stage>) {
        var connection: Connection?
        while hasWork(stage) {
            if connection == nil { connection = try? Connection(path: path, mode: .readWriteCreate) }
            connection?.setBusyTimeout(milliseconds: busyTimeoutMilliseconds)
            if let connection { try? moveMost(connection) }
            stage.withLock { if $0 == .moving { $0 = .nearlyDone } }
        }
    }

    /// Moves pages until so few come meanwhile that the writer may move the rest.
    private static func moveMost(_ connection: Connection) throws(SQLiteError) {
        var before = 0
        for _ in 0..<mostPasses {
            let moved = try connection.checkpoint(truncate: false).moved
            // Otherwise the writer, who moves the last page, would wait for the disk to take all of them.
            try connection.syncDatabase()
            guard moved - before > fewPages else { return }
            before = moved
        }
    }

    /// Waits until there is something to move.
    /// - Returns: false at the end.
    private static func hasWork(_ stage: Monitor<Stage>) -> Bool {
        stage.wait { stage in
            switch stage {
            case .moving: true
            case .closed: false
            case .resting, .nearlyDone: nil
            }
        } ?? false
    }
}
