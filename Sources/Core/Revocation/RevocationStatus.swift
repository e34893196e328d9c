package import Time

/// The source and age of the revocations in force.
package struct RevocationStatus: Sendable, Equatable {
    package enum Source: String, Sendable, CaseIterable {
        /// Read from the store since the start.
        case store
        /// Read from the copy, because the store could not be read since the start.
        case copy
        /// Unknown.
        case none
    }

    package var source = Source.none
    /// When the store last had these revocations; 0 when none are known.
    package var knownAt: UnixSeconds = 0
    /// When the copy was last confirmed; 0 when there is none that could be used.
    package var copiedAt: UnixSeconds = 0
    /// The reason why the copy cannot be read or written; nil when it can, or when there is none by configuration.
    package var copyProblem: String?
    /// The command that makes the file of the copy usable again; nil when the file itself is not to blame.
    package var copyCommand: String?
    /// Whether the copy cannot be written because the store cannot be read.
    package var copyWaitsForStore = false

    package init() {}

    /// Whether authorization can decide about genuine keys.
    package var isKnown: Bool { source != .none }
}
