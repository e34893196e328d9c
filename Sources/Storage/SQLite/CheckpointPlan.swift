/// When pages of the log are moved to the database, and by whom: decided between two commits, when it is known how long the log is.
///
/// Passes run beside the commits. One begins only while pages wait to be moved, because then no commit can begin the log anew: where that
/// happens just as a pass begins, SQLite before 3.51.3 damages the database (<https://www.sqlite.org/wal.html>, "The WAL-Reset Bug").
struct CheckpointPlan {
    /// What is to be done now.
    enum Step: Equatable {
        case nothing
        /// Move pages beside the commits.
        case pass
        /// Move the last pages before the next commit, after which the log is begun anew.
        case finish
    }

    /// How many pages are moved within some milliseconds.
    private static let fewPages = 500
    /// Commits that write as fast as pages are moved would have passes go on for ever.
    private static let mostPasses = 6

    private let leastPages: Int
    /// How long the log is when passes begin.
    private var beginsAt: Int
    private var passes = 0
    private var movedBefore = 0

    /// Makes a plan.
    /// - Parameter leastPages: how long the log is when its pages are moved.
    init(leastPages: Int) {
        self.leastPages = leastPages
        beginsAt = leastPages
    }

    /// What is to be done while no pass has run.
    mutating func step(logged: Int) -> Step {
        guard logged >= beginsAt else { return .nothing }
        (passes, movedBefore) = (1, 0)
        return .pass
    }

    /// What is to be done to have the log emptied, while no pass has run.
    mutating func emptying(logged: Int) -> Step {
        (passes, movedBefore) = (1, 0)
        // Without pages that wait, no pass may begin.
        return logged > 0 ? .pass : .finish
    }

    /// What is to be done after a pass.
    /// - Parameters:
    ///   - moved: how many pages of the log have been moved by now.
    ///   - logged: how many it has by now.
    mutating func step(moved: Int, logged: Int) -> Step {
        guard logged >= moved else {
            // All were moved, and a commit has begun the log anew.
            beginsAt = leastPages
            return .nothing
        }
        if logged - moved <= Self.fewPages { return .finish }
        guard passes < Self.mostPasses, moved > movedBefore else {
            wait(logged: logged)
            return .nothing
        }
        (passes, movedBefore) = (passes + 1, moved)
        return .pass
    }

    /// Takes in what came of `finish`.
    /// - Parameter isEmpty: whether the log's next page is its first one; somebody who reads may keep it as it is.
    mutating func finished(logged: Int, isEmpty: Bool) {
        if isEmpty { beginsAt = leastPages } else { wait(logged: logged) }
    }

    /// Begins at once, where a log is left alone that could not be emptied.
    mutating func hurry() {
        beginsAt = leastPages
    }

    /// Leaves a log alone that cannot be emptied now.
    private mutating func wait(logged: Int) {
        beginsAt = logged + max(1, leastPages / 4)
    }
}
