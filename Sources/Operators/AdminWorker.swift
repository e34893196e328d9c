internal import Threading

/// The thread on which operators' wishes wait for the store, one after the other, so that no thread that serves requests does.
final class AdminWorker: Sendable {
    private struct Queue {
        var jobs: [@Sendable () -> Void] = []
        var isEnding = false
    }

    private enum Step {
        case run(@Sendable () -> Void)
        case end
    }

    private let queue: Monitor<Queue>
    private let thread: OwnThread
    private let limit: Int

    /// Starts the thread.
    /// - Parameter limit: how many jobs may wait.
    /// - Throws: when the system has no room for it.
    init(limit: Int) throws(ThreadError) {
        let queue = Monitor(Queue())
        self.queue = queue
        self.limit = limit
        thread = try OwnThread {
            while case .run(let job)? = queue.wait({ Self.step(&$0) }) { job() }
        }
    }

    /// Has a job done; false when too many wait, or it is stopping.
    func submit(_ job: @escaping @Sendable () -> Void) -> Bool {
        queue.update { queue in
            guard queue.jobs.count < limit, !queue.isEnding else { return false }
            queue.jobs.append(job)
            return true
        }
    }

    /// Does what waits, and ends the thread. Call it once, and not in a job.
    func stop() {
        queue.update { $0.isEnding = true }
        thread.join()
    }

    private static func step(_ queue: inout Queue) -> Step? {
        if queue.jobs.isEmpty { return queue.isEnding ? .end : nil }
        return .run(queue.jobs.removeFirst())
    }
}
