internal import Core
internal import Observability

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

    /// Counts them in the metrics, and warns operators with one line a notifier.
    func tell(_ metrics: DeliveryMetrics, _ logger: Logger) {
        for (notifier, count) in counts.sorted(by: { $0.key < $1.key }) {
            metrics.countExpired(count, notifier: notifier)
            logger.log(
                .warning, "deliveries expired without a last try",
                [
                    "notifier": .string(notifier), "count": .integer(count), "reason": .string(RetryDecision.Ending.expired.rawValue),
                ])
        }
    }
}
