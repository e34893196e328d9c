import Glibc
import TestSupport
import Testing
import Threading

@Suite struct DedicatedThreadTests {
    @Test func `runs its body once before join returns`() {
        let runs = Monitor(0)
        for _ in 0..<100 { startThread { runs.update { $0 += 1 } }.join() }
        #expect(runs.withLock { $0 } == 100)
    }

    @Test func `runs concurrently with its starter`() {
        let monitor = Monitor(0)
        let thread = startThread {
            _ = monitor.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0 == 1 ? true : nil }
            monitor.update { $0 = 2 }
        }
        monitor.update { $0 = 1 }
        #expect(monitor.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0 == 2 ? true : nil } == true)
        thread.join()
    }

    @Test func `runs to its end when detached`() {
        let monitor = Monitor(0)
        let thread = startThread {
            _ = monitor.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0 == 1 ? true : nil }
            monitor.update { $0 = 2 }
        }
        thread.detach()
        monitor.update { $0 = 1 }
        #expect(monitor.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0 == 2 ? true : nil } == true)
    }

    @Test func `releases its body`() {
        final class Token: Sendable {}
        weak var watched: Token?
        do {
            let token = Token()
            watched = token
            startThread { withExtendedLifetime(token) {} }.join()
        }
        #expect(watched == nil)
    }

    @Test func `blocks signals on the thread and not on its starter`() {
        let before = isBlocked(SIGUSR1)
        let blocked = Monitor(false)
        startThread { blocked.update { $0 = isBlocked(SIGUSR1) } }.join()
        #expect(blocked.withLock { $0 })
        #expect(withSignalsBlocked { isBlocked(SIGUSR1) })
        #expect(isBlocked(SIGUSR1) == before)
    }
}

private func isBlocked(_ signal: Int32) -> Bool {
    var mask = sigset_t()
    unsafe pthread_sigmask(SIG_BLOCK, nil, &mask)
    return unsafe sigismember(&mask, signal) == 1
}
