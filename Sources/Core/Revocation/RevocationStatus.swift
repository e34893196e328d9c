package import Time

package struct RevocationStatus: Sendable, Equatable {
    package enum Source: String, Sendable, CaseIterable {
        /// Read from the store since the start.
        case store
        /// Read from the copy, because the store has not been readable since the start.
        case copy
        /// Unknown.
        case none
    }

    package var source = Source.none
    /// Time at which the store last had these revocations; 0 when none are known.
    package var knownAt: UnixSeconds = 0
    /// Time of the copy's last confirmation; 0 when there is no usable copy.
    package var copiedAt: UnixSeconds = 0
    /// The reason why the copy cannot be read or written; nil when it can, or no copy is configured.
    package var copyProblem: String?
    /// The command that repairs the copy's file; nil when the file is not the cause.
    package var copyCommand: String?
    /// Whether the copy cannot be written because the store cannot be read.
    package var copyWaitsForStore = false

    package init() {}

    /// Whether authorization can decide about valid keys.
    package var isKnown: Bool { source != .none }
}
