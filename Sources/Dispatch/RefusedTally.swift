internal import Core

/// What had ended when it was made, because nobody could be told or too much waited: the dispatcher never sees these deliveries, but operators must
/// see why nothing came.
struct RefusedTally {
    private var told: [String: [DeliveryEnding: Int]] = [:]

    /// Counts in the metrics what is new, and has the log tell of it.
    /// - Parameter refused: all since the store was opened.
    mutating func tell(_ refused: [RefusedDeliveries], _ metrics: DeliveryMetrics, _ log: inout NotifierLog) {
        for entry in refused {
            let count = entry.count - told[entry.notifier, default: [:]][entry.ending, default: 0]
            guard count > 0 else { continue }
            told[entry.notifier, default: [:]][entry.ending] = entry.count
            metrics.countEnded(count, notifier: entry.notifier, entry.ending.state, reason: entry.ending.reason)
            log.add(count, entry.ending == .noTarget ? .noTarget : .dead, reason: entry.ending.reason, of: entry.notifier)
        }
    }
}
