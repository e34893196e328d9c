internal import Core
internal import Observability
internal import Threading

/// The metrics of the queue and of deliveries.
struct DeliveryMetrics: Sendable {
    private let deliveries: MetricFamily<Counter>
    private let duration: MetricFamily<Histogram>

    /// Registers them.
    /// - Parameters:
    ///   - store: asked at each rendering for what is pending.
    ///   - inbox: asked at each rendering for the notifiers, so that an empty queue shows as 0. One that is not configured any more shows while
    ///     deliveries wait for it.
    init(registry: MetricsRegistry, store: any Store, clocks: Clocks, inbox: Monitor<DispatcherInbox>) {
        deliveries = registry.counter(
            "deskgate_deliveries_total", "Tries of deliveries by what came of them, and what expired without one.",
            labels: ["notifier", "outcome", "reason"])
        duration = registry.histogram(
            "deskgate_delivery_duration_seconds", "Time that a try took.", labels: ["notifier"],
            bounds: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30])
        registry.gauge(
            "deskgate_store_up", "1 while the store is open and accepts; a full queue does not count. The log tells why not.", labels: []
        ) {
            [ComputedSample(value: store.refusal.map { $0.kind == .queueFull } ?? true ? 1 : 0)]
        }
        registry.gauge("deskgate_queue_pending", "Deliveries that wait.", labels: ["notifier"]) {
            Self.samples(store, inbox) { Double($0.count) }
        }
        NotifierMetrics.register(registry, inbox)
        registry.gauge(
            "deskgate_queue_oldest_seconds", "Age of the oldest delivery that waits: of the one that expires first.", labels: ["notifier"]
        ) {
            let now = clocks.unixMilliseconds()
            return Self.samples(store, inbox) { Double(now - min(now, $0.oldestReceivedAt)) / 1000 }
        }
    }

    /// One sample a notifier; none when the store cannot tell.
    private static func samples(
        _ store: any Store, _ inbox: Monitor<DispatcherInbox>, _ value: (PendingDeliveries) -> Double
    ) -> [ComputedSample] {
        guard let pending = try? store.pending() else { return [] }
        let values = Dictionary(pending.map { (ByteKey($0.notifier), value($0)) }) { first, _ in first }
        let configured = inbox.withLock { $0.notifiers.keys.map { ByteKey($0) } }
        return Set(configured).union(values.keys).sorted().map { ComputedSample($0.text, value: values[$0] ?? 0) }
    }

    /// Counts deliveries that ended without a try.
    func countEnded(_ count: Int, notifier: String, _ state: Delivery.State, reason: String) {
        deliveries.child(notifier, state.rawValue, reason).increment(by: UInt64(count))
    }

    /// Counts a try.
    func count(notifier: String, _ result: FinishedTry, milliseconds: UInt64) {
        let (outcome, reason) =
            switch result.next {
            case .dead where result.isDeviceGone: ("gone", result.reason)
            case .delivered: ("delivered", result.reason)
            case .retry: ("retry", result.reason)
            case .dead: ("dead", result.reason)
            case .givenUp(let ending): ("dead", ending.rawValue)
            }
        deliveries.child(notifier, outcome, reason).increment()
        duration.child(notifier).observe(nanoseconds: milliseconds * 1_000_000)
    }
}

extension FinishedTry {
    /// Whether the provider does not know the device any more.
    var isDeviceGone: Bool {
        if case .gone? = news { true } else { false }
    }
}
