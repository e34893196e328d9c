internal import Core

/// Deliveries that ended without an attempt in one pass of the dispatcher: they expired behind an open breaker, their notifier was removed
/// from the configuration, or their device was removed.
struct UnattemptedDeliveries {
    private var expired: [String: Int] = [:]
    private var withoutTarget: [String: Int] = [:]

    mutating func add(_ claimed: Claimed, of notifier: String) {
        addExpired(claimed.expired, of: notifier)
        if claimed.withoutTarget > 0 { withoutTarget[notifier, default: 0] += claimed.withoutTarget }
    }

    mutating func addExpired(_ count: Int, of notifier: String) {
        if count > 0 { expired[notifier, default: 0] += count }
    }

    func report(_ metrics: DeliveryMetrics, _ log: inout NotifierLog) {
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

/// Reports deliveries that the store itself ended, because no device was registered, the queue was full, or the user has read the comment.
struct RefusedTally {
    private var reported: [String: [DeliveryEnding: Int]] = [:]

    /// Reports the deliveries since the last call.
    /// - Parameter refused: all such deliveries since the store was opened.
    mutating func report(_ refused: [RefusedDeliveries], metrics: DeliveryMetrics, log: inout NotifierLog) {
        for entry in refused {
            let count = entry.count - reported[entry.notifier, default: [:]][entry.ending, default: 0]
            guard count > 0 else { continue }
            reported[entry.notifier, default: [:]][entry.ending] = entry.count
            metrics.countEnded(count, notifier: entry.notifier, entry.ending)
            log.add(count, NotifierLog.Ending(entry.ending), reason: entry.ending.reason, of: entry.notifier)
        }
    }
}
