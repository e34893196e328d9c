internal import Threading

/// A thread that does something small again and again until it is stopped.
final class Chores: Sendable {
    private let isEnding: Monitor<Bool>
    private let thread: OwnThread

    /// Starts the thread.
    /// - Throws: when the system has no room for it.
    init(everyMilliseconds interval: UInt64 = 5_000, _ work: @escaping @Sendable () -> Void) throws(ThreadError) {
        let isEnding = Monitor(false)
        self.isEnding = isEnding
        thread = try OwnThread {
            while isEnding.wait(timeoutMilliseconds: interval, { $0 ? true : nil }) == nil { work() }
        }
    }

    /// Ends the thread. Call it once, and not in the work.
    func stop() {
        isEnding.update { $0 = true }
        thread.join()
    }
}
