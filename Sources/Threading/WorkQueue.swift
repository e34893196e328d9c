/// A pool of threads for blocking jobs, which must not block serving threads; `FairQueue` selects the next job. Starts a thread only for a
/// job that finds no idle one, because most queues never get a job. The owner must call `stop`.
package final class WorkQueue: Sendable {
    private struct Job: Sendable {
        let owner: ShareOwner
        let run: @Sendable () -> Void
    }

    private struct Queue {
        var jobs: FairQueue<Job>
        /// Jobs that may run but have not been taken by a thread yet.
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

    /// - Parameter bounds: for the whole queue, which has up to one thread per running job, then for each level of names.
    package init(_ bounds: ShareBound...) {
        queue = Monitor(Queue(jobs: FairQueue(bounds)))
        threads = bounds[0].running
    }

    /// Enqueues a job; returns false when a bound is reached, the queue is stopping, or no thread can be created.
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

    /// Runs the waiting jobs and ends the threads. Call it once, and not from a job.
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

    /// While the queue is ending, an idle thread may end although jobs wait for a share: the thread that releases the share runs them.
    private static func step(_ queue: inout Queue) -> Step? {
        if queue.ready.isEmpty { return queue.isEnding ? .end : nil }
        queue.idle -= 1
        return .run(queue.ready.removeFirst())
    }
}
