/// Threads of our own that run blocking jobs, so that they block no serving thread. Jobs begin in their order.
///
/// A thread is started only with a job that finds all others at work, because most queues never get one. The owner must call `stop`.
package final class WorkQueue: Sendable {
    private struct Queue {
        var jobs: [@Sendable () -> Void] = []
        var isEnding = false
        var idle = 0
        var threads: [OwnThread] = []
    }

    private enum Step {
        case run(@Sendable () -> Void)
        case end
    }

    private let queue = Monitor(Queue())
    private let limit: Int
    private let threads: Int

    /// Makes a queue without threads.
    /// - Parameters:
    ///     - threads: how many jobs run at a time at most.
    ///     - limit: how many jobs may wait.
    package init(threads: Int = 1, limit: Int) {
        precondition(threads > 0 && limit > 0, "a queue runs something")
        self.threads = threads
        self.limit = limit
    }

    /// Queues a job; false when too many wait, when the queue is stopping, or when no thread can be started.
    package func submit(_ job: @escaping @Sendable () -> Void) -> Bool {
        queue.update { state in
            guard state.jobs.count < limit, !state.isEnding else { return false }
            if state.idle <= state.jobs.count, state.threads.count < threads, let thread = try? startThread() {
                state.threads.append(thread)
                state.idle += 1
            }
            guard !state.threads.isEmpty else { return false }
            state.jobs.append(job)
            return true
        }
    }

    /// Runs the waiting jobs, and ends the threads. Call it once, and not from a job.
    package func stop() {
        let threads = queue.update { state in
            state.isEnding = true
            return state.threads
        }
        for thread in threads { thread.join() }
    }

    private func startThread() throws(ThreadError) -> OwnThread {
        try OwnThread { [queue] in
            while case .run(let job)? = queue.wait({ Self.step(&$0) }) {
                job()
                queue.withLock { $0.idle += 1 }
            }
        }
    }

    private static func step(_ queue: inout Queue) -> Step? {
        if queue.jobs.isEmpty { return queue.isEnding ? .end : nil }
        queue.idle -= 1
        return .run(queue.jobs.removeFirst())
    }
}
