/// How a delivery ends that is over when it is made.
package enum DeliveryEnding: Sendable, Hashable, CaseIterable {
    /// There is no registered device that the notifier serves.
    case noTarget
    /// The event has more deliveries than `DeliveryPlan.mostRows`.
    case tooMany
    /// As many deliveries wait for this notifier as may.
    case notifierQueueFull
    /// As many deliveries wait as may, for all notifiers together.
    case queueFull

    /// The state that the delivery has.
    package var state: Delivery.State { self == .noTarget ? .noTarget : .dead }

    /// Why, in a stable word.
    package var reason: String {
        switch self {
        case .noTarget: "no_target"
        case .tooMany: "too_many_deliveries"
        case .notifierQueueFull: "notifier_queue_full"
        case .queueFull: "queue_full"
        }
    }
}
