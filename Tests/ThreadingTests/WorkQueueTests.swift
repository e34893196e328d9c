import TestSupport
import Testing
import Threading

/// Threads that run blocking jobs.
@Suite struct WorkQueueTests {
    @Test func doesJobsInTheirOrderAndRefusesTooMany() {
        let queue = WorkQueue(limit: 2)
        let gate = Monitor((isRunning: false, isOpen: false))
        let done = Monitor<[Int]>([])
        #expect(
            queue.submit {
                gate.update { $0.isRunning = true }
                _ = gate.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0.isOpen ? true : nil }
                done.update { $0.append(0) }
            })
        _ = gate.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0.isRunning ? true : nil }
        #expect(queue.submit { done.update { $0.append(1) } })
        #expect(queue.submit { done.update { $0.append(2) } })
        #expect(!queue.submit { done.update { $0.append(3) } })
        gate.update { $0.isOpen = true }
        queue.stop()
        #expect(done.withLock { $0 } == [0, 1, 2])
        #expect(!queue.submit {})
    }

    @Test func runsSeveralAtATimeAndNoMore() {
        let queue = WorkQueue(threads: 3, limit: 8)
        let gate = Monitor((running: 0, most: 0, isOpen: false))
        for _ in 0..<5 {
            #expect(
                queue.submit {
                    gate.update { state in
                        state.running += 1
                        state.most = max(state.most, state.running)
                    }
                    _ = gate.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0.isOpen ? true : nil }
                    gate.update { $0.running -= 1 }
                })
        }
        #expect(gate.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0.running == 3 ? true : nil } == true)
        gate.update { $0.isOpen = true }
        queue.stop()
        #expect(gate.withLock { ($0.running, $0.most) } == (0, 3))
    }
}
