internal import Threading

/// A thread that runs operators' store calls one after the other, so that they block no serving thread.
///
/// It is started with the first job, because most services never get one.
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

    /// Queues a job; false when too many wait, when it is stopping, or when the thread cannot be started.
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

    /// Runs the waiting jobs, and ends the thread. Call it once, and not from a job.
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
