package import Threading

/// Ends the process if stopping takes too long, because a thread waits for a disk that hangs.
///
/// The calls of such a thread have not been answered, so no accepted data is lost.
package final class StopDeadline: Sendable {
    private let isOver = Monitor(false)
    private let thread: DedicatedThread

    /// Starts the timer. The caller must call `cancel`, unless the process ends before.
    /// - Parameter whenOver: called on a separate thread at the deadline.
    /// - Throws: when the thread cannot be started.
    package init(milliseconds: UInt64, whenOver: @escaping @Sendable () -> Void) throws(ThreadError) {
        let isOver = isOver
        thread = try DedicatedThread {
            if isOver.wait(timeoutMilliseconds: milliseconds, { $0 ? true : nil }) == nil { whenOver() }
        }
    }

    package func cancel() {
        isOver.update { $0 = true }
        thread.join()
    }
}
