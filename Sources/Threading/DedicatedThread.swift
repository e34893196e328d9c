internal import Glibc

/// A thread for blocking C calls, which must never run on Swift's cooperative pool with its one thread per core. The owner must end the
/// body and then call `join`, or call `detach` if the body cannot be ended.
@safe
package final class DedicatedThread: Sendable {
    // Written once before the initialiser returns; only the owner calls pthread_join or pthread_detach.
    nonisolated(unsafe) private var handle = pthread_t()

    /// - Parameter body: runs once on the thread, with all signals blocked, so that only the main thread receives signals.
    package init(_ body: @escaping @Sendable () -> Void) throws(ThreadError) {
        let start = unsafe Unmanaged.passRetained(ThreadStart(body))
        let result = withSignalsBlocked { unsafe pthread_create(&handle, nil, runThread, start.toOpaque()) }
        guard result == 0 else {
            unsafe start.release()
            throw ThreadError(code: result)
        }
    }

    /// Waits until the body has returned. Call it exactly once.
    package func join() {
        unsafe pthread_join(handle, nil)
    }

    /// Lets the thread run without an owner, for a C call that ends eventually. Call it exactly once, instead of `join`.
    package func detach() {
        unsafe pthread_detach(handle)
    }
}

private final class ThreadStart: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }
}

private func runThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument = unsafe argument else { return nil }
    unsafe Unmanaged<ThreadStart>.fromOpaque(argument).takeRetainedValue().body()
    return nil
}

/// Runs `body` with all signals blocked on this thread. Threads that it starts inherit this, so only the main thread receives signals.
package func withSignalsBlocked<Result>(_ body: () -> Result) -> Result {
    var everySignal = sigset_t()
    var before = sigset_t()
    unsafe sigfillset(&everySignal)
    unsafe pthread_sigmask(SIG_SETMASK, &everySignal, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    return body()
}

package struct ThreadError: Error, Equatable, CustomStringConvertible {
    /// The error number that pthread_create(3) returned.
    package let code: Int32

    package var description: String {
        "cannot start a thread: \(unsafe String(cString: strerror(code))); raise the limit on processes (ulimit -u)"
    }
}
