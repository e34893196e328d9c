/// This process's role among those that share the store.
package struct ReplicaStatus: Sendable, Equatable {
    /// For a process that has the store alone.
    package static let alone = ReplicaStatus(isElected: true, isOnline: true)

    /// Whether this process performs maintenance for all. At times no process is elected, or two are, so maintenance must be safe to run
    /// twice.
    package let isElected: Bool
    /// Whether the other replicas have recent heartbeats of this process. If not, it must start no attempt, because they are about to
    /// release its leases.
    package let isOnline: Bool

    package init(isElected: Bool, isOnline: Bool) {
        self.isElected = isElected
        self.isOnline = isOnline
    }
}
