internal import POSIX
package import Threading
internal import Time

/// Starts a thread for a test. Retries while the system cannot create one.
package func startThread(_ body: @escaping @Sendable () -> Void) -> DedicatedThread {
    var thread: DedicatedThread?
    guard eventually({ (try? DedicatedThread(body)).map { thread = $0 } != nil }), let thread else {
        fatalError("the system cannot create a thread")
    }
    return thread
}

/// Runs `body` on `count` threads at once, each with its index, and returns when all have ended; none begins before all have started.
///
/// It uses threads instead of tasks, because tasks would share only as many threads as there are cores.
package func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let missing = Monitor(count)
    let threads = (0..<count).map { index in
        startThread {
            missing.update { $0 -= 1 }
            _ = missing.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0 > 0 ? nil : true }
            body(index)
        }
    }
    for thread in threads { thread.join() }
}

/// Polls `condition` until it is true.
/// - Returns: false when it was not true within `WaitLimit.milliseconds`.
package func eventually(_ condition: () -> Bool) -> Bool {
    let pause = Monitor(())
    // The clock measures the time, because a condition may itself wait, for example for a response.
    let end = SystemClock.monotonicMilliseconds() + WaitLimit.milliseconds
    // The interval grows, because a condition may start a program or query a server, which delays the expected event.
    var milliseconds: UInt64 = 5
    while SystemClock.monotonicMilliseconds() < end {
        if condition() { return true }
        _ = pause.wait(timeoutMilliseconds: milliseconds) { _ in nil as Void? }
        milliseconds = min(milliseconds + 5, 50)
    }
    return condition()
}

/// The number of threads of this process; a joined thread may still be included for a moment.
package func ownThreadCount() -> Int {
    FileSystem.names(in: "/proc/self/task").count
}

extension Monitor {
    /// Sets a flag of the state, and wakes all waiting threads.
    /// - Returns: false when it was set already.
    func setOnce(_ flag: WritableKeyPath<State, Bool>) -> Bool {
        update { state in
            defer { state[keyPath: flag] = true }
            return !state[keyPath: flag]
        }
    }
}
