import TestSupport
import Testing
import Threading

@Suite struct MonitorTests {
    @Test func `returns a ready value at once`() {
        let monitor = Monitor(1)
        #expect(monitor.wait { $0 == 1 ? "ready" : nil } == "ready")
        #expect(monitor.wait(timeoutMilliseconds: 0) { $0 == 1 ? "ready" : nil } == "ready")
    }

    @Test func `returns at the time limit`() {
        let monitor = Monitor(1)
        var asked = 0
        let result = monitor.wait(timeoutMilliseconds: 1) { state -> Int? in
            asked += 1
            return state == 2 ? state : nil
        }
        #expect(result == nil)
        #expect(asked >= 2)
    }

    @Test(arguments: [0, 120_999, 121_000, 86_400_000, UInt64(1) << 40])
    func `waits for an update`(milliseconds: UInt64) {
        let monitor = Monitor(milliseconds == 0 ? 1 : 0)
        let thread = startThread { monitor.update { $0 = 1 } }
        #expect(monitor.wait(timeoutMilliseconds: milliseconds) { $0 == 1 ? true : nil } == true)
        thread.join()
    }

    @Test func `wakes all waiting threads`() {
        let monitor = Monitor((ready: 0, isOpen: false, passed: 0))
        let threads = (0..<8).map { _ in
            startThread {
                monitor.update { $0.ready += 1 }
                _ = monitor.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0.isOpen ? true : nil }
                monitor.update { $0.passed += 1 }
            }
        }
        #expect(monitor.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0.ready == 8 ? true : nil } == true)
        monitor.update { $0.isOpen = true }
        for thread in threads { thread.join() }
        #expect(monitor.withLock { $0.passed } == 8)
    }

    @Test func `gives each value to one waiting thread`() {
        let monitor = Monitor((things: [Int](), taken: [Int]()))
        let threads = (0..<4).map { _ in
            startThread {
                while let thing = monitor.wait(timeoutMilliseconds: WaitLimit.milliseconds, { $0.things.popLast() }), thing >= 0 {
                    monitor.withLock { $0.taken.append(thing) }
                }
            }
        }
        for thing in 0..<1000 { monitor.update { $0.things.insert(thing, at: 0) } }
        for _ in threads { monitor.update { $0.things.insert(-1, at: 0) } }
        for thread in threads { thread.join() }
        #expect(monitor.withLock { $0.taken.sorted() } == Array(0..<1000))
    }

    @Test func `is exclusive`() {
        let monitor = Monitor(0)
        let threads = (0..<4).map { _ in
            startThread {
                for _ in 0..<5000 { monitor.withLock { $0 += 1 } }
            }
        }
        for thread in threads { thread.join() }
        #expect(monitor.withLock { $0 } == 20_000)
    }
}
