package import Core
package import Observability
package import Threading
package import Time

package struct DeliveryMetrics: Sendable {
    private let deliveries: MetricFamily<Counter>
    private let tries: MetricFamily<Counter>
    private let duration: MetricFamily<Histogram>

    /// - Parameters:
    ///   - store: read at each scrape for the pending deliveries.
    ///   - inbox: read at each scrape for the notifiers, so that an empty queue has the value 0. A notifier that was removed from the
    ///     configuration is included while it has pending deliveries.
    package init(registry: MetricsRegistry, store: any Store, clocks: Clocks, inbox: Monitor<DispatcherInbox>) {
        deliveries = registry.counter(
            "deskgate_deliveries_total", "Deliveries that have ended, by outcome.", labels: ["notifier", "outcome", "reason"])
        tries = registry.counter(
            "deskgate_delivery_tries_total", "Attempts of deliveries by outcome.", labels: ["notifier", "outcome", "reason"])
        duration = registry.histogram(
            "deskgate_delivery_duration_seconds", "Time of an attempt.", labels: ["notifier"],
            bounds: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30])
        registry.gauge(
            "deskgate_store_up", "1 while the store is open and accepts; a full queue does not count. The log tells why not.", labels: []
        ) {
            [ComputedSample(value: store.refusal.map { $0.kind == .queueFull } ?? true ? 1 : 0)]
        }
        registry.gauge("deskgate_queue_pending", "Pending deliveries.", labels: ["notifier"]) {
            Self.samples(store, inbox: inbox) { Double($0.count) }
        }
        NotifierMetrics.register(registry, inbox)
        registry.gauge(
            "deskgate_queue_oldest_seconds", "Age of the oldest pending delivery, which is the one that expires first.",
            labels: ["notifier"]
        ) {
            let now = clocks.unixMilliseconds()
            return Self.samples(store, inbox: inbox) { Double(now.elapsed(since: $0.oldestReceivedAt)) / 1000 }
        }
    }

    /// One sample for each notifier; none when the store cannot be read.
    private static func samples(
        _ store: any Store, inbox: Monitor<DispatcherInbox>, value: (PendingDeliveries) -> Double
    ) -> [ComputedSample] {
        guard let pending = try? store.pending() else { return [] }
        let values = Dictionary(pending.map { (ByteKey($0.notifier), value($0)) }) { first, _ in first }
        let configured = inbox.withLock { $0.notifiers.keys.map { ByteKey($0) } }
        return Set(configured).union(values.keys).sorted().map { ComputedSample($0.text, value: values[$0] ?? 0) }
    }

    /// Starts a notifier's series at 0, because a rate misses the first increment of an absent series.
    func expect(notifier: String) {
        for ending in DeliveryEnding.allCases { countEnded(0, notifier: notifier, ending) }
        for reason in RetryDecision.Ending.allCases.map(\.rawValue) + GivenUpReason.allCases.map(\.rawValue) {
            countEnded(0, notifier: notifier, .dead, reason: reason)
        }
        _ = duration.child(notifier)
    }

    /// Counts deliveries that ended without an attempt's outcome.
    package func countEnded(_ count: Int, notifier: String, _ state: Delivery.State, reason: String) {
        deliveries.child(notifier, state.rawValue, reason).increment(by: UInt64(count))
    }

    /// Counts deliveries that the store itself ended.
    func countEnded(_ count: Int, notifier: String, _ ending: DeliveryEnding) {
        deliveries.child(notifier, ending.outcome, ending.reason).increment(by: UInt64(count))
    }

    /// Counts an attempt, and its delivery if it has ended.
    func count(notifier: String, _ result: FinishedAttempt, milliseconds: UInt64) {
        duration.child(notifier).observe(nanoseconds: milliseconds * 1_000_000)
        let outcome: String
        switch result.next {
        case .delivered: outcome = Delivery.silentReasons.contains(result.reason) ? result.reason : "delivered"
        case .dead: outcome = result.isDeviceGone ? "gone" : "dead"
        case .retry: return tries.child(notifier, "retry", result.reason).increment()
        case .givenUp(let ending):
            deliveries.child(notifier, "dead", ending.rawValue).increment()
            return tries.child(notifier, "retry", result.reason).increment()
        }
        tries.child(notifier, outcome, result.reason).increment()
        deliveries.child(notifier, outcome, result.reason).increment()
    }
}

extension FinishedAttempt {
    var isDeviceGone: Bool {
        if case .gone? = update { true } else { false }
    }
}
