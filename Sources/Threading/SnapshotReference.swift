/// A reference to an immutable snapshot that is replaced as a whole, for example by a reload. Safe on any thread. The lock is held only
/// while a reference is copied, so readers never wait while a snapshot is built or freed.
package final class SnapshotReference<Snapshot: AnyObject & Sendable>: Sendable {
    private let snapshot: Monitor<Snapshot>

    package init(_ snapshot: Snapshot) {
        self.snapshot = Monitor(snapshot)
    }

    package var current: Snapshot {
        snapshot.withLock { $0 }
    }

    /// Readers that have loaded the previous snapshot keep it.
    package func replace(with next: Snapshot) {
        var previous = next
        snapshot.withLock { swap(&$0, &previous) }
        // The former snapshot is freed here, after the lock: freeing thousands of keys takes time.
    }
}
