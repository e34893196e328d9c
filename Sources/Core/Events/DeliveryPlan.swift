/// Determines the deliveries of an event. Every store applies this rule.
package enum DeliveryPlan {
    package struct Candidate: Sendable, Equatable {
        package let deviceID: String
        package let type: String

        package init(deviceID: String, type: String) {
            self.deviceID = deviceID
            self.type = type
        }
    }

    package struct Row: Sendable, Equatable {
        package let subscription: Subscription
        /// The target device of a comment, or the device in a registry event; nil if there is none.
        package let deviceID: String?
        /// The ending of a delivery that ends at its creation, so that operators see why nothing was sent; nil for a pending delivery.
        package internal(set) var ending: DeliveryEnding?
    }

    /// The maximum number of deliveries of one event. If there would be more, the last delivery ends with the reason `too_many_deliveries`.
    package static let maximumRows = 1000

    /// Returns the deliveries of an event.
    /// - Parameters:
    ///   - candidates: returns the person's registered devices that the event may be for; called only for comments and `isForEachDevice`.
    ///   - isNotified: returns whether the same comment already has a delivery to this device through this notifier.
    package static func rows<Failure: Error>(
        _ event: Event, _ subscriptions: [Subscription], candidates: () throws(Failure) -> [Candidate],
        isNotified: (_ notifier: String, _ deviceID: String) throws(Failure) -> Bool
    ) throws(Failure) -> [Row] {
        guard event.kind.isForDevices else {
            // Registry events are delivered regardless of registered devices. Each attempt includes the current record of the device, so a
            // notifier can detect whether the event is still current.
            let isForDevices = !event.userID.isEmpty && subscriptions.contains(where: \.isForEachDevice)
            let devices = isForDevices ? try candidates() : []
            return bounded(
                subscriptions.flatMap { subscription in
                    guard subscription.isForEachDevice else { return [Row(subscription: subscription, deviceID: event.identity.deviceID)] }
                    return devices.filter { subscription.deviceTypes.contains($0.type) }
                        .map { Row(subscription: subscription, deviceID: $0.deviceID) }
                })
        }
        guard !subscriptions.isEmpty else { return [] }
        let candidates = event.userID.isEmpty ? [] : try candidates()
        guard !candidates.isEmpty else { return withoutDevice(event, subscriptions) }
        var rows: [Row] = []
        var isKnown = false
        for subscription in subscriptions {
            for candidate in candidates where subscription.deviceTypes.contains(candidate.type) {
                isKnown = true
                if try isNotified(subscription.notifier, candidate.deviceID) { continue }
                rows.append(Row(subscription: subscription, deviceID: candidate.deviceID))
            }
        }
        if isKnown { return bounded(rows) }
        // No subscription covers the types of these devices. Notifiers that require no device receive the comment without one. If there is
        // no such notifier, an ended delivery shows operators why nothing was sent.
        let reported = subscriptions.filter { !$0.requiresDevice }.map { Row(subscription: $0, deviceID: nil) }
        return reported.isEmpty ? [Row(subscription: subscriptions[0], deviceID: candidates[0].deviceID, ending: .noTarget)] : reported
    }

    private static func bounded(_ rows: [Row]) -> [Row] {
        guard rows.count > maximumRows else { return rows }
        var bounded = Array(rows.prefix(maximumRows))
        bounded[maximumRows - 1].ending = .tooMany
        return bounded
    }

    private static func withoutDevice(_ event: Event, _ subscriptions: [Subscription]) -> [Row] {
        let rows = subscriptions.filter { !$0.requiresDevice || $0.deviceTypes.contains(event.deviceType) }
            .map { Row(subscription: $0, deviceID: nil, ending: $0.requiresDevice ? .noTarget : nil) }
        return rows.isEmpty ? [Row(subscription: subscriptions[0], deviceID: nil, ending: .noTarget)] : bounded(rows)
    }
}

/// The reason why a store itself ends a delivery, at its creation or later.
package enum DeliveryEnding: Sendable, Hashable, CaseIterable {
    case noTarget
    /// The event has more deliveries than `DeliveryPlan.maximumRows`.
    case tooMany
    /// The notifier's queue is full for this app (`DeliveryBounds`).
    case notifierQueueFull
    /// The total number of pending deliveries has reached `maxPending`.
    case queueFull
    /// The person has read the comment (`ReadReceipt`).
    case supersededByRead

    package var state: Delivery.State {
        switch self {
        case .noTarget: .noTarget
        case .tooMany, .notifierQueueFull, .queueFull: .dead
        case .supersededByRead: .delivered
        }
    }

    /// The outcome that is shown and counted. A superseded delivery is not shown as delivered.
    package var outcome: String { self == .supersededByRead ? "superseded" : state.rawValue }

    /// A stable identifier for metrics and operators.
    package var reason: String {
        switch self {
        case .noTarget: "no_target"
        case .tooMany: "too_many_deliveries"
        case .notifierQueueFull: "notifier_queue_full"
        case .queueFull: "queue_full"
        case .supersededByRead: "superseded_by_read"
        }
    }
}

/// The limits of pending deliveries. Every store applies this rule.
package struct DeliveryBounds: Sendable, Equatable {
    /// The limit for all notifiers together.
    package let maxPending: Int
    /// The limit for one notifier, so that an outage of one notifier does not block the others. When the queue has between one and two
    /// times this number of deliveries, an app may still add deliveries up to its share, so that one app does not block the others. The
    /// share is the limit divided by the number of apps with pending deliveries in the queue.
    package let maxPendingPerNotifier: Int

    /// The state of a notifier's queue for an event of an app.
    package struct Queue: Sendable, Equatable {
        package let pending: Int
        package let pendingOfApp: Int
        /// The number of apps with pending deliveries, always including the event's app.
        package let apps: Int

        package init(pending: Int, pendingOfApp: Int, apps: Int) {
            self.pending = pending
            self.pendingOfApp = pendingOfApp
            self.apps = apps
        }
    }

    package init(maxPending: Int, maxPendingPerNotifier: Int) {
        self.maxPending = maxPending
        self.maxPendingPerNotifier = maxPendingPerNotifier
    }

    /// Returns the deliveries to store, or `queueFull` when the event is rejected as a whole.
    ///
    /// If a notifier's queue is full, its delivery ends at creation; the event and its other deliveries are stored. If the common queue or
    /// the queues of all its notifiers are full, a comment is rejected, because the help desk sends it again. A registry event would not be
    /// sent again, so it is stored and its deliveries end. A sign-in or sign-out therefore never fails because of deliveries.
    /// - Parameter total: the number of pending deliveries of all notifiers.
    package func admitted(
        _ rows: [DeliveryPlan.Row], of event: Event, total: Int, queue: (_ notifier: String) -> Queue
    ) -> Result<[DeliveryPlan.Row], StoreError> {
        // The total is below every limit, so the queues need not be counted.
        if total + rows.count <= min(maxPending, maxPendingPerNotifier) { return .success(rows) }
        let canBeRefused = event.kind.isReported
        var rows = rows
        var added: [ByteKey: Int] = [:]
        var (waiting, hasFullQueue) = (0, false)
        for index in rows.indices where rows[index].ending == nil {
            let notifier = ByteKey(rows[index].subscription.notifier)
            if !hasRoom(queue(notifier.text), added: added[notifier, default: 0]) {
                rows[index].ending = .notifierQueueFull
                hasFullQueue = true
            } else if !canBeRefused, total + waiting >= maxPending {
                rows[index].ending = .queueFull
            } else {
                added[notifier, default: 0] += 1
                waiting += 1
            }
        }
        guard canBeRefused else { return .success(rows) }
        if waiting > 0, total + waiting > maxPending { return .failure(commonQueueFull) }
        return waiting == 0 && hasFullQueue ? .failure(notifierQueuesFull) : .success(rows)
    }

    /// Returns the reason why a dead delivery cannot become pending again; nil when the queue has room.
    /// - Parameter total: the number of pending deliveries of all notifiers.
    package func obstacle(total: Int, queue: () -> Queue) -> RetryObstacle? {
        // The total is below every limit, so the queues need not be counted.
        if total < min(maxPending, maxPendingPerNotifier) { return nil }
        if !hasRoom(queue(), added: 0) { return .notifierQueueFull }
        return total < maxPending ? nil : .queueFull
    }

    package var commonQueueFull: StoreError {
        StoreError(
            .queueFull, "\(maxPending) deliveries are pending, which is the limit",
            remedy: "see why they do not arrive, or raise max_pending")
    }

    private var notifierQueuesFull: StoreError {
        StoreError(
            .queueFull,
            "\(maxPendingPerNotifier) deliveries or more wait for each notifier of the event, without room for more of the app",
            remedy: "see why they do not arrive, or raise max_pending_per_notifier")
    }

    /// - Parameter added: the number of deliveries of the event itself that were already added to this queue.
    private func hasRoom(_ queue: Queue, added: Int) -> Bool {
        let pending = queue.pending + added
        if pending < maxPendingPerNotifier { return true }
        return pending < 2 * maxPendingPerNotifier && queue.pendingOfApp + added < max(1, maxPendingPerNotifier / queue.apps)
    }
}
