import TestSupport
import Testing
import Threading

/// Threads that run blocking jobs.
@Suite struct WorkQueueTests {
    /// Jobs that wait until the test opens the gate.
    private final class Gate: Sendable {
        private let state = Monitor((running: 0, most: 0, isOpen: false))

        func pass() {
            state.update { state in
                state.running += 1
                state.most = max(state.most, state.running)
            }
            _ = state.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0.isOpen ? true : nil }
            state.update { $0.running -= 1 }
        }

        func waitForRunning(_ count: Int) -> Bool {
            state.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0.running == count ? true : nil } == true
        }

        func open() { state.update { $0.isOpen = true } }

        var most: Int { state.withLock { $0.most } }
    }

    private let gate = Gate()
    private let done = Monitor<[Int]>([])

    private func waitForDone(_ jobs: [Int]) -> Bool {
        done.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0 == jobs ? true : nil } == true
    }

    /// A job that waits for the gate.
    private func hang() -> @Sendable () -> Void { { [gate] in gate.pass() } }

    private func note(_ job: Int) -> @Sendable () -> Void { { [done] in done.update { $0.append(job) } } }

    @Test func `runs jobs in order and rejects too many`() {
        let queue = WorkQueue(ShareBound(1, waiting: 2))
        let first: @Sendable () -> Void = { [gate, done] in
            gate.pass()
            done.update { $0.append(0) }
        }
        #expect(queue.submit(first))
        #expect(gate.waitForRunning(1))
        #expect(queue.submit(note(1)))
        #expect(queue.submit(note(2)))
        #expect(!queue.submit(note(3)))
        gate.open()
        queue.stop()
        #expect(done.withLock { $0 } == [0, 1, 2])
        #expect(!queue.submit {})
    }

    @Test func `limits the number of concurrent jobs`() {
        let queue = WorkQueue(ShareBound(3, waiting: 8))
        for _ in 0..<5 { #expect(queue.submit(hang())) }
        #expect(gate.waitForRunning(3))
        gate.open()
        queue.stop()
        #expect(gate.most == 3)
    }

    /// The jobs of one app hang: they use its share of the threads, and another app's jobs begin at once.
    @Test func `an app whose jobs hang does not delay another`() {
        let queue = WorkQueue(ShareBound(3, waiting: 20), ShareBound(2, waiting: 5))
        let (shop, bank) = (ShareOwner("shop"), ShareOwner("bank"))
        for _ in 0..<7 { #expect(queue.submit(for: shop, hang())) }
        #expect(!queue.submit(for: shop) {})
        #expect(gate.waitForRunning(2))
        for job in 1...9 {
            #expect(queue.submit(for: bank, note(job)))
            #expect(waitForDone(Array(1...job)))
        }
        gate.open()
        queue.stop()
        #expect(gate.most == 2)
    }

    /// The jobs of one person hang: those of another person of the same app begin at once.
    @Test func `a person whose jobs hang does not delay another`() {
        let queue = WorkQueue(ShareBound(4, waiting: 20), ShareBound(3, waiting: 10), ShareBound(2, waiting: 3))
        let (one, two) = (ShareOwner("shop", "1"), ShareOwner("shop", "2"))
        for _ in 0..<5 { #expect(queue.submit(for: one, hang())) }
        #expect(!queue.submit(for: one) {})
        #expect(gate.waitForRunning(2))
        #expect(queue.submit(for: two, note(1)))
        #expect(waitForDone([1]))
        gate.open()
        queue.stop()
        #expect(gate.most == 2)
    }

    /// A stop also runs jobs that wait for their share instead of a thread.
    @Test func `a stop runs jobs that wait for their share`() {
        let queue = WorkQueue(ShareBound(3, waiting: 8), ShareBound(1, waiting: 8))
        #expect(queue.submit(for: ShareOwner("shop"), hang()))
        #expect(gate.waitForRunning(1))
        for job in 1...4 { #expect(queue.submit(for: ShareOwner("shop"), note(job))) }
        #expect(queue.submit(for: ShareOwner("bank")) {})
        gate.open()
        queue.stop()
        #expect(done.withLock { $0 } == [1, 2, 3, 4])
    }

    @Test func `starts threads only for jobs that may begin`() async {
        await #expect(processExitsWith: .success) {
            let queue = WorkQueue(ShareBound(30, waiting: 100), ShareBound(1, waiting: 100))
            let isOpen = Monitor(false)
            let before = ownThreadCount()
            for _ in 0..<50 {
                _ = queue.submit(for: ShareOwner("shop")) {
                    _ = isOpen.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0 ? true : nil }
                }
            }
            // The test's own threads start and end.
            #expect(ownThreadCount() < before + 15)
            isOpen.update { $0 = true }
            queue.stop()
        }
    }
}
