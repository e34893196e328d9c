internal import Core

/// What one pass of the dispatcher has ended without a last try.
///
/// No try ends with these, so that nobody would hear of them: not of one that waits behind an open breaker, nor of one whose notifier has left the
/// configuration, nor of one whose device has.
struct UntriedTally {
    private var expired: [String: Int] = [:]
    private var withoutTarget: [String: Int] = [:]

    /// Adds what a claim has ended.
    mutating func add(_ claimed: Claimed, of notifier: String) {
        addExpired(claimed.expired, of: notifier)
        if claimed.withoutTarget > 0 { withoutTarget[notifier, default: 0] += claimed.withoutTarget }
    }

    /// Adds deliveries of a notifier that had expired.
    mutating func addExpired(_ count: Int, of notifier: String) {
        if count > 0 { expired[notifier, default: 0] += count }
    }

    /// Counts them in the metrics, and has the log tell of them.
    func tell(_ metrics: DeliveryMetrics, _ log: inout NotifierLog) {
        for (notifier, count) in withoutTarget {
            metrics.countEnded(count, notifier: notifier, .noTarget, reason: DeliveryEnding.noTarget.reason)
            log.add(count, .noTarget, reason: DeliveryEnding.noTarget.reason, of: notifier)
        }
        let reason = RetryDecision.Ending.expired.rawValue
        for (notifier, count) in expired {
            metrics.countEnded(count, notifier: notifier, .dead, reason: reason)
            log.add(count, .dead, reason: reason, of: notifier)
        }
    }
}
