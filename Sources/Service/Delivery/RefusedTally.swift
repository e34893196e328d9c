internal import Core

/// What the store had ended when it was made, as far as it was told: the dispatcher never sees these deliveries.
struct RefusedTally {
    private var told: [ByteKey: [DeliveryEnding: Int]] = [:]

    /// Counts what is new in the metrics, and has the log tell of it.
    mutating func tell(_ refused: [RefusedDeliveries], _ metrics: DeliveryMetrics, _ log: inout NotifierLog) {
        for deliveries in refused {
            let (notifier, ending) = (deliveries.notifier, deliveries.ending)
            let count = deliveries.count - (told[ByteKey(notifier)]?[ending] ?? 0)
            guard count > 0 else { continue }
            told[ByteKey(notifier), default: [:]][ending] = deliveries.count
            metrics.countEnded(count, notifier: notifier, ending.state, reason: ending.reason)
            log.add(count, ending.state == .noTarget ? .noTarget : .dead, reason: ending.reason, of: notifier)
        }
    }
}
