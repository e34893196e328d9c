package import Threading
internal import Time

/// Starts a thread for a test, which has nothing better to do than to end when the system has no room for it.
package func startThread(_ body: @escaping @Sendable () -> Void) -> OwnThread {
    do throws(ThreadError) {
        return try OwnThread(body)
    } catch {
        fatalError(error.description)
    }
}

/// Runs `body` on `count` threads at once, each with its index, and returns when all have ended; none begins before every one is there.
///
/// Threads, not tasks: those would share as few threads as there are cores.
package func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let missing = Monitor(count)
    let threads = (0..<count).map { index in
        startThread {
            missing.update { $0 -= 1 }
            _ = missing.wait { $0 > 0 ? nil : true }
            body(index)
        }
    }
    for thread in threads { thread.join() }
}

/// Waits until `condition` holds, for what nobody signals.
/// - Returns: false when it still did not after two minutes, which only a failing test reaches.
package func eventually(_ condition: () -> Bool) -> Bool {
    let pause = Monitor(())
    // By the clock, as a condition may itself wait, for example for an answer.
    let end = SystemClock.monotonicMilliseconds() + 120_000
    // Less and less often, as a condition may start a program or ask a server, which takes the processor from what is waited for.
    var milliseconds: UInt64 = 5
    while SystemClock.monotonicMilliseconds() < end {
        if condition() { return true }
        _ = pause.wait(timeoutMilliseconds: milliseconds) { _ in nil as Void? }
        milliseconds = min(milliseconds + 5, 50)
    }
    return condition()
}
