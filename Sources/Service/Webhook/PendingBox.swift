internal import HTTPServer
internal import Synchronization

/// Carries the right to answer into an escaping closure, which cannot hold a noncopyable value itself.
final class PendingBox: Sendable {
    // Not a Monitor, whose state is copyable. The sanitizer sees the store's own lock between the thread that fills it and that which empties it.
    private let pending: Mutex<PendingResponse?>

    init(_ pending: consuming PendingResponse) {
        self.pending = Mutex(pending)
    }

    /// Answers, the first time.
    func respond(_ response: Response) {
        let pending = pending.withLock { $0.take() }
        pending?.respond(response)
    }
}
