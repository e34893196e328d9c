package import Time

/// Waits until changes have been over for a moment, so that a burst of them has one effect.
package struct QuietPeriod: Sendable {
    /// Milliseconds without a change before a reload.
    package static let quietMilliseconds: UInt64 = 300
    /// The maximum wait for changes that never end, in milliseconds.
    package static let longestMilliseconds: UInt64 = 5000

    private var burst: (first: MonotonicMilliseconds, last: MonotonicMilliseconds)?

    package init() {}

    /// When the changes so far take effect, unless more come; nil when nothing has changed.
    package var end: MonotonicMilliseconds? {
        burst.map { min($0.last + Self.quietMilliseconds, $0.first + Self.longestMilliseconds) }
    }

    package mutating func noteChange(at now: MonotonicMilliseconds) {
        burst = (burst?.first ?? now, now)
    }

    /// Ends the period, if it is over, so that the next change begins another one.
    /// - Returns: whether it was.
    package mutating func finish(at now: MonotonicMilliseconds) -> Bool {
        guard let end, now >= end else { return false }
        burst = nil
        return true
    }

    /// Forgets the changes, when something else has given them their effect.
    package mutating func cancel() {
        burst = nil
    }
}
