/// Decides between two commits, when the log's length is known, whether pages of the log are moved to the database, and by which thread.
///
/// Passes run concurrently with commits. A pass begins only while pages wait to be moved, because then no commit can restart the log. If a
/// commit restarts the log just as a pass begins, SQLite before 3.51.3 damages the database (<https://www.sqlite.org/wal.html>, "The
/// WAL-Reset Bug").
struct CheckpointPlan {
    enum Step: Equatable {
        case nothing
        /// Move pages concurrently with commits.
        case pass
        /// Move the last pages before the next commit, which then restarts the log.
        case finish
    }

    /// A number of pages that are moved within some milliseconds.
    private static let fewPages = 500
    /// Without this limit, passes would never end while commits write pages as fast as passes move them.
    private static let maximumPasses = 6

    private let minimumPages: Int
    /// The length of the log, in pages, at which passes begin.
    private var beginsAt: Int
    private var passes = 0
    private var movedBefore = 0

    /// Makes a plan.
    /// - Parameter minimumPages: the length of the log, in pages, at which its pages are moved.
    init(minimumPages: Int) {
        self.minimumPages = minimumPages
        beginsAt = minimumPages
    }

    mutating func step(logged: Int) -> Step {
        guard logged >= beginsAt else { return .nothing }
        (passes, movedBefore) = (1, 0)
        return .pass
    }

    /// The step that leads to an empty log, before any pass has run.
    mutating func emptying(logged: Int) -> Step {
        (passes, movedBefore) = (1, 0)
        // A pass may begin only while pages wait.
        return logged > 0 ? .pass : .finish
    }

    /// The step after a pass.
    /// - Parameters:
    ///     - moved: the number of the log's pages moved so far.
    ///     - logged: the number of pages in the log now.
    mutating func step(moved: Int, logged: Int) -> Step {
        guard logged >= moved else {
            // All pages were moved, and a commit has restarted the log.
            beginsAt = minimumPages
            return .nothing
        }
        if logged - moved <= Self.fewPages { return .finish }
        guard passes < Self.maximumPasses, moved > movedBefore else {
            wait(logged: logged)
            return .nothing
        }
        (passes, movedBefore) = (passes + 1, moved)
        return .pass
    }

    /// Records the result of `finish`.
    /// - Parameter isEmpty: whether the next commit restarts the log; a reader may prevent that.
    mutating func finished(logged: Int, isEmpty: Bool) {
        if isEmpty { beginsAt = minimumPages } else { wait(logged: logged) }
    }

    /// Begins passes at once, even if the plan was waiting because the log could not be emptied.
    mutating func hurry() {
        beginsAt = minimumPages
    }

    /// Delays further passes, because the log cannot be emptied now.
    private mutating func wait(logged: Int) {
        beginsAt = logged + max(1, minimumPages / 4)
    }
}
