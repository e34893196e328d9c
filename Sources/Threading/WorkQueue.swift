/// Threads of our own that run blocking jobs, so that they block no serving thread. `FairQueue` decides which job begins next.
///
/// A thread is started only with a job that finds all others at work, because most queues never get one. The owner must call `stop`.
package final class WorkQueue: Sendable {
    private struct Job: Sendable {
        let owner: ShareOwner
        let run: @Sendable () -> Void
    }

    private struct Queue {
        var jobs: FairQueue<Job>
        /// Jobs that may begin, until a thread takes them.
        var ready: [Job] = []
        var isEnding = false
        var idle = 0
        var threads: [DedicatedThread] = []

        mutating func advance() {
            while let job = jobs.next() { ready.append(job) }
        }
    }

    private enum Step {
        case run(Job)
        case end
    }

    private let queue: Monitor<Queue>
    private let threads: Int

    /// Makes a queue without threads.
    /// - Parameter bounds: of the whole queue, which has a thread for each job that may run, then of each owner's first name, and so on.
    package init(_ bounds: ShareBound...) {
        queue = Monitor(Queue(jobs: FairQueue(bounds)))
        threads = bounds[0].running
    }

    /// Queues a job; false when the owner or the queue has too many, when the queue is stopping, or when no thread can be started.
    /// - Parameter owner: has one name less than the queue has bounds.
    package func submit(for owner: ShareOwner = ShareOwner(), _ job: @escaping @Sendable () -> Void) -> Bool {
        queue.update { state in
            guard !state.isEnding else { return false }
            if state.threads.isEmpty { startThread(&state) }
            guard !state.threads.isEmpty, state.jobs.add(Job(owner: owner, run: job), for: owner) else { return false }
            state.advance()
            if state.idle < state.ready.count, state.threads.count < threads { startThread(&state) }
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

    private func startThread(_ state: inout Queue) {
        let thread = try? DedicatedThread { [queue] in
            while case .run(let job)? = queue.wait({ Self.step(&$0) }) {
                job.run()
                queue.withLock { state in
                    state.idle += 1
                    state.jobs.finish(job.owner)
                    state.advance()
                }
            }
        }
        guard let thread else { return }
        state.threads.append(thread)
        state.idle += 1
    }

    /// A job that waits for the end of others is begun by the thread that ends one of these, so that an idle thread may end.
    private static func step(_ queue: inout Queue) -> Step? {
        if queue.ready.isEmpty { return queue.isEnding ? .end : nil }
        queue.idle -= 1
        return .run(queue.ready.removeFirst())
    }
}
