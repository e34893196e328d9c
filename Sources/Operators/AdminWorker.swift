internal import Threading

/// The thread on which operators' questions wait for the store, one after the other, so that no thread that serves requests does.
///
/// It begins with the first question, because most services are never asked one.
final class AdminWorker: Sendable {
    private struct Queue {
        var jobs: [@Sendable () -> Void] = []
        var isEnding = false
        var thread: OwnThread?
    }

    private enum Step {
        case run(@Sendable () -> Void)
        case end
    }

    private let queue = Monitor(Queue())
    private let limit: Int

    /// - Parameter limit: how many jobs may wait.
    init(limit: Int) {
        self.limit = limit
    }

    /// Has a job done; false when too many wait, when it is stopping, and when the system has no room for the thread.
    func submit(_ job: @escaping @Sendable () -> Void) -> Bool {
        queue.update { [queue] state in
            guard state.jobs.count < limit, !state.isEnding else { return false }
            if state.thread == nil {
                state.thread = try? OwnThread {
                    while case .run(let job)? = queue.wait({ Self.step(&$0) }) { job() }
                }
            }
            guard state.thread != nil else { return false }
            state.jobs.append(job)
            return true
        }
    }

    /// Does what waits, and ends the thread. Call it once, and not in a job.
    func stop() {
        let thread = queue.update { state in
            state.isEnding = true
            return state.thread
        }
        thread?.join()
    }

    private static func step(_ queue: inout Queue) -> Step? {
        if queue.jobs.isEmpty { return queue.isEnding ? .end : nil }
        return .run(queue.jobs.removeFirst())
    }
}
