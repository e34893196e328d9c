internal import Core

/// Reports deliveries that the store ended as it made them, because no device was registered or too many waited. The dispatcher never
/// claims them, but operators must see why nothing arrived.
struct RefusedTally {
    private var reported: [String: [DeliveryEnding: Int]] = [:]

    /// Adds those that are new since the last call to the metrics and the log.
    /// - Parameter refused: all since the store was opened.
    mutating func report(_ refused: [RefusedDeliveries], _ metrics: DeliveryMetrics, _ log: inout NotifierLog) {
        for entry in refused {
            let count = entry.count - reported[entry.notifier, default: [:]][entry.ending, default: 0]
            guard count > 0 else { continue }
            reported[entry.notifier, default: [:]][entry.ending] = entry.count
            metrics.countEnded(count, notifier: entry.notifier, entry.ending.state, reason: entry.ending.reason)
            log.add(count, entry.ending == .noTarget ? .noTarget : .dead, reason: entry.ending.reason, of: entry.notifier)
        }
    }
}
