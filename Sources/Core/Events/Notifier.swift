/// A way to tell somebody of an event.
package protocol Notifier: Sendable {
    /// Whether the deliveries of one ticket must be tried one after the other, in the order of their acceptance.
    var keepsTicketOrder: Bool { get }
    /// How many tries may run at once.
    var concurrency: Int { get }
    /// When a try that failed is repeated.
    var retryPolicy: RetryPolicy { get }
    /// How long one try takes at most, in milliseconds: when a process ends in the middle, the next one waits a little longer than that.
    var longestAttemptMilliseconds: UInt64 { get }
    /// How long after `misconfigured` one delivery is tried, to find out whether somebody has mended the other side, in milliseconds; nil to wait
    /// for a reload.
    var probeAfterMilliseconds: UInt64? { get }

    /// What an operator does when an outcome with this reason is `misconfigured` or has a `settingsFault`: one sentence's end.
    func remedy(for reason: String) -> String

    /// Tries one delivery.
    /// - Parameter completion: called exactly once, on any thread, and must not block. A notifier bounds its own time.
    func deliver(_ delivery: Delivery, completion: @escaping @Sendable (DeliveryOutcome) -> Void)
}

extension Notifier {
    /// The longest that may be configured.
    package var longestAttemptMilliseconds: UInt64 { 120_000 }
    /// Only a reload helps.
    package var probeAfterMilliseconds: UInt64? { nil }
    /// For notifiers without settings.
    package func remedy(for reason: String) -> String { "look at the log" }
}
