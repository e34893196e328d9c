/// The role of this process among the processes that share the store.
package struct ReplicaStatus: Sendable, Equatable {
    /// The status of a process whose store is not shared.
    package static let alone = ReplicaStatus(isElected: true, isOnline: true)

    /// Whether this process performs maintenance for all processes. At times, no process or two processes may be elected, so maintenance
    /// must be safe to run twice.
    package let isElected: Bool
    /// Whether the other replicas have recent heartbeats of this process. If not, this process must not start attempts, because the other
    /// replicas are about to release its leases.
    package let isOnline: Bool

    package init(isElected: Bool, isOnline: Bool) {
        self.isElected = isElected
        self.isOnline = isOnline
    }
}
