package import Threading

/// Ends a stop that does not come to its end, because a thread waits for a disk that hangs.
///
/// What such a thread waits for has not been answered, so nothing that was promised is lost.
package final class StopDeadline: Sendable {
    private let isOver = Monitor(false)
    private let thread: OwnThread

    /// Starts to wait; `cancel` must be called, unless the process ends before.
    /// - Parameter whenOver: called on a thread of its own when the time is over.
    /// - Throws: when the system has no room for a thread.
    package init(milliseconds: UInt64, whenOver: @escaping @Sendable () -> Void) throws(ThreadError) {
        let isOver = isOver
        thread = try OwnThread {
            if isOver.wait(timeoutMilliseconds: milliseconds, { $0 ? true : nil }) == nil { whenOver() }
        }
    }

    /// The stop has come to its end.
    package func cancel() {
        isOver.update { $0 = true }
        thread.join()
    }
}
