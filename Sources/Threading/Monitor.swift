internal import Glibc

/// State that threads share, with a mutex and a condition variable, so that threads can wait for changes. Also used without waiting,
/// instead of `Synchronization.Mutex`, which is as fast but invisible to the thread sanitizer.
@safe
package final class Monitor<State>: @unchecked Sendable {
    // `state` is accessed only while `mutex` is held, so accesses never overlap; a dynamic exclusivity check would cost more than the lock.
    // Mutex and condition are on the heap because their addresses must not change.
    @exclusivity(unchecked) private var state: State
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    package init(_ state: sending State) {
        unsafe self.state = state
        unsafe pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        // Timeouts must not depend on the wall clock, which can be set.
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_cond_init(condition, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    /// Calls `body` with the state under the lock, then wakes all waiting threads. Keep `body` short, without calls of other code. Threads
    /// are woken after the lock is released; otherwise they would immediately block on it.
    @discardableResult
    package func update<Result>(_ body: (inout State) -> Result) -> Result {
        defer { wakeAll() }
        return withLock(body)
    }

    /// Calls `body` with the state under the lock without waking threads: for reading, or for changes that no thread waits for.
    package func withLock<Result>(_ body: (inout State) -> Result) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return unsafe body(&state)
    }

    /// Wakes all waiting threads after changes in `withLock`.
    package func wakeAll() {
        unsafe pthread_cond_broadcast(condition)
    }

    /// Waits until `ready` returns a value. `ready` runs under the lock, first immediately and then after each `update` or `wakeAll`.
    /// - Parameter timeoutMilliseconds: nil waits forever.
    /// - Returns: nil on timeout.
    package func wait<Result>(timeoutMilliseconds: UInt64? = nil, _ ready: (inout State) -> Result?) -> Result? {
        var deadline = timespec()
        if let timeoutMilliseconds {
            unsafe clock_gettime(CLOCK_MONOTONIC, &deadline)
            let nanoseconds = UInt64(deadline.tv_nsec) + timeoutMilliseconds % 1000 * 1_000_000
            deadline.tv_sec += Int(timeoutMilliseconds / 1000 + nanoseconds / 1_000_000_000)
            deadline.tv_nsec = Int(nanoseconds % 1_000_000_000)
        }
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while true {
            if let result = unsafe ready(&state) { return result }
            if timeoutMilliseconds == nil {
                unsafe pthread_cond_wait(condition, mutex)
            } else if unsafe pthread_cond_timedwait(condition, mutex, &deadline) == ETIMEDOUT {
                return unsafe ready(&state)
            }
        }
    }
}
