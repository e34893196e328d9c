internal import Synchronization

/// Carries the right to answer into an escaping closure, which cannot hold a noncopyable value itself.
package final class PendingBox: Sendable {
    // Not a Monitor, whose state is copyable. The sanitizer sees the lock under which the box is handed to the thread that answers.
    private let pending: Mutex<PendingResponse?>

    /// Takes the right over; a box that is let go without an answer drops it.
    package init(_ pending: consuming PendingResponse) {
        self.pending = Mutex(pending)
    }

    /// Whether the request still waits for its answer. Never waits.
    package var isAwaited: Bool {
        pending.withLock { $0?.isAwaited ?? false }
    }

    /// Answers, the first time.
    /// - Returns: false when the request has been answered already, here or by its deadline or a shutdown.
    @discardableResult
    package func respond(_ response: Response) -> Bool {
        let pending = pending.withLock { $0.take() }
        return pending?.respond(response) ?? false
    }
}
