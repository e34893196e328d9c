internal import Core

/// What one pass of the dispatcher has given up without a last try, because it had expired.
///
/// No try ends with these, so that nobody would hear of them: not of one that waits behind an open breaker, nor of one whose notifier has left the
/// configuration.
struct ExpiredTally {
    private var counts: [String: Int] = [:]

    /// Adds to a notifier's.
    mutating func add(_ count: Int, of notifier: String) {
        guard count > 0 else { return }
        counts[notifier, default: 0] += count
    }

    /// Counts them in the metrics, and has the log tell of them.
    func tell(_ metrics: DeliveryMetrics, _ log: inout NotifierLog) {
        let reason = RetryDecision.Ending.expired.rawValue
        for (notifier, count) in counts {
            metrics.countEnded(count, notifier: notifier, .dead, reason: reason)
            log.add(count, .dead, reason: reason, of: notifier)
        }
    }
}
