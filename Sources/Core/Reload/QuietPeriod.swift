package import Time

/// Waits until changes have stopped for a moment, so that a burst has one effect.
package struct QuietPeriod: Sendable {
    /// The time without changes.
    package static let quietMilliseconds: UInt64 = 300
    /// The maximum wait while changes continue.
    package static let longestMilliseconds: UInt64 = 5000

    private var burst: (first: MonotonicMilliseconds, last: MonotonicMilliseconds)?

    package init() {}

    /// The time at which the changes so far take effect, unless more arrive; nil without changes.
    package var end: MonotonicMilliseconds? {
        burst.map { min($0.last + Self.quietMilliseconds, $0.first + Self.longestMilliseconds) }
    }

    package mutating func noteChange(at now: MonotonicMilliseconds) {
        burst = (burst?.first ?? now, now)
    }

    /// Ends the period if its time has passed. Returns whether it did.
    package mutating func finish(at now: MonotonicMilliseconds) -> Bool {
        guard let end, now >= end else { return false }
        burst = nil
        return true
    }

    /// Discards the changes, because they have already taken effect.
    package mutating func cancel() {
        burst = nil
    }
}
