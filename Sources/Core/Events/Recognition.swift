package import Time

/// For how long a comment is recognised that comes again.
///
/// The help desk posts a webhook up to three times, and once more when our answer was lost. Who has captured a signed webhook may send it at any
/// time, so that it is recognised for much longer.
package enum Recognition {
    /// For how long after its arrival, in milliseconds: 90 days.
    package static let milliseconds: UInt64 = 90 * 86_400_000

    /// Since when a comment has arrived that must be recognised.
    package static func recognisedFrom(now: UnixMilliseconds) -> UnixMilliseconds { now.saturating(subtracting: milliseconds) }
}
