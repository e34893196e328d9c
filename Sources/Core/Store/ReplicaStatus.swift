package struct ReplicaStatus: Sendable, Equatable {
    /// Of a process that has its store for itself.
    package static let alone = ReplicaStatus(isElected: true, isOnline: true)

    /// Whether this process does the upkeep for all. At times no process is elected, or two are, so upkeep must be safe to do twice.
    package let isElected: Bool
    /// Whether the other replicas have recent heartbeats of this process. If not, it must start no attempt, because they are about to
    /// release its leases.
    package let isOnline: Bool

    package init(isElected: Bool, isOnline: Bool) {
        self.isElected = isElected
        self.isOnline = isOnline
    }
}
