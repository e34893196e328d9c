internal import Threading

/// A thread that repeats a short task until it is stopped.
final class Chores: Sendable {
    private let isEnding: Monitor<Bool>
    private let thread: OwnThread

    /// Starts the thread.
    /// - Throws: when the thread cannot be started.
    init(everyMilliseconds interval: UInt64 = 5_000, _ work: @escaping @Sendable () -> Void) throws(ThreadError) {
        let isEnding = Monitor(false)
        self.isEnding = isEnding
        thread = try OwnThread {
            while isEnding.wait(timeoutMilliseconds: interval, { $0 ? true : nil }) == nil { work() }
        }
    }

    /// Ends the thread. Call it once, and not from the task.
    func stop() {
        isEnding.update { $0 = true }
        thread.join()
    }
}
