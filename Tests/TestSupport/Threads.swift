internal import POSIX
package import Threading
internal import Time

/// Starts a thread for a test. While the system has no room for it, tries again.
package func startThread(_ body: @escaping @Sendable () -> Void) -> DedicatedThread {
    var thread: DedicatedThread?
    guard eventually({ (try? DedicatedThread(body)).map { thread = $0 } != nil }), let thread else {
        fatalError("the system has no room for a thread")
    }
    return thread
}

/// Runs `body` on `count` threads at once, each with its index, and returns when all have ended; none begins before every one is there.
///
/// Threads, not tasks: those would share as few threads as there are cores.
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

/// Waits until `condition` holds, for what nobody signals.
/// - Returns: false when it still did not after `WaitLimit.milliseconds`.
package func eventually(_ condition: () -> Bool) -> Bool {
    let pause = Monitor(())
    // By the clock, as a condition may itself wait, for example for an answer.
    let end = SystemClock.monotonicMilliseconds() + WaitLimit.milliseconds
    // Less and less often, as a condition may start a program or ask a server, which takes the processor from what is waited for.
    var milliseconds: UInt64 = 5
    while SystemClock.monotonicMilliseconds() < end {
        if condition() { return true }
        _ = pause.wait(timeoutMilliseconds: milliseconds) { _ in nil as Void? }
        milliseconds = min(milliseconds + 5, 50)
    }
    return condition()
}

/// How many threads this process has; one that has been joined may still be counted for a moment.
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
