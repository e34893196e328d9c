/// A reference to an immutable snapshot that is replaced as a whole, for example by a reload; any thread may read and replace it.
///
/// The lock is held only while one reference is copied, so readers never wait while a snapshot is built or freed.
package final class SnapshotReference<Snapshot: AnyObject & Sendable>: Sendable {
    private let snapshot: Monitor<Snapshot>

    package init(_ snapshot: Snapshot) {
        self.snapshot = Monitor(snapshot)
    }

    package var current: Snapshot {
        snapshot.withLock { $0 }
    }

    /// Puts another snapshot in force; readers that have loaded the former one keep it.
    package func replace(with next: Snapshot) {
        var previous = next
        snapshot.withLock { swap(&$0, &previous) }
        // The former snapshot is freed here, after the lock: freeing thousands of keys takes time.
    }
}
