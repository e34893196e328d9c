internal import Synchronization

/// Carries the right to answer into an escaping closure, which cannot capture a noncopyable value.
package final class PendingBox: Sendable {
    // Not a Monitor, whose state is copyable. The thread sanitizer sees the lock under which the box is handed to the answering thread.
    private let pending: Mutex<PendingResponse?>

    /// Takes over the right to answer. If the box is released without an answer, the right is dropped.
    package init(_ pending: consuming PendingResponse) {
        self.pending = Mutex(pending)
    }

    /// Whether the request still waits for its answer. Never waits.
    package var isAwaited: Bool {
        pending.withLock { $0?.isAwaited ?? false }
    }

    /// Answers; only the first call has an effect.
    /// - Returns: false when the request was answered before, here, by its deadline or by a shutdown.
    @discardableResult
    package func respond(_ response: Response) -> Bool {
        let pending = pending.withLock { $0.take() }
        return pending?.respond(response) ?? false
    }
}
