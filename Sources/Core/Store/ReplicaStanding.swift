/// What a process knows of the others that share its store.
package struct ReplicaStanding: Sendable, Equatable {
    /// Of a process that has its store for itself.
    package static let alone = ReplicaStanding(live: 1, isElected: true, isHeard: true)

    /// How many processes live, this one included; at least 1.
    package let live: Int
    /// Whether this process does the upkeep for all. At times nobody is elected, or two processes are, so upkeep must be safe to do twice.
    package let isElected: Bool
    /// Whether the others know that this process lives. If not, it must start no attempt, because they are about to release its leases.
    package let isHeard: Bool

    /// Makes a standing; less than one live process is a programmer's mistake and traps.
    package init(live: Int, isElected: Bool, isHeard: Bool) {
        precondition(live >= 1, "a process that asks lives")
        self.live = live
        self.isElected = isElected
        self.isHeard = isHeard
    }
}
