package import Core

/// The facts about the store that only a reading which may block can tell.
package struct StoreFacts: Sendable {
    /// The free bytes of each disk, by what is on it.
    package var disks: [(name: String, freeBytes: UInt64)] = []
    /// The dead deliveries.
    package var dead: [DeadDeliveries] = []

    /// Knows nothing.
    package init() {}
}
