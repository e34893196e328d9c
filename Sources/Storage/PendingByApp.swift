internal import Core

/// The number of pending deliveries by notifier and app. The numbers of notifiers and apps are small.
struct PendingByApp<App: Hashable & Sendable>: Sendable {
    /// The nonzero counts.
    private(set) var counts: [ByteKey: [App: Int]] = [:]
    private(set) var total = 0

    mutating func add(_ number: Int, to notifier: ByteKey, of app: App) {
        total += number
        // Modifies the dictionary in place: a copy for each delivery would take time proportional to the number of apps.
        counts[notifier, default: [:]][app, default: 0] += number
        if counts[notifier]?[app] == 0 { counts[notifier]?.removeValue(forKey: app) }
        if counts[notifier]?.isEmpty == true { counts.removeValue(forKey: notifier) }
    }

    mutating func add(_ other: Self) {
        for (notifier, apps) in other.counts { for (app, number) in apps { add(number, to: notifier, of: app) } }
    }

    var byNotifier: [ByteKey: Int] { counts.mapValues { $0.values.reduce(0, +) } }

    /// Returns the queue of a notifier, as the limits for an event of `app` require it.
    func queue(_ notifier: String, of app: App) -> DeliveryBounds.Queue {
        let apps = counts[ByteKey(notifier)] ?? [:]
        let own = apps[app, default: 0]
        return DeliveryBounds.Queue(
            pending: apps.values.reduce(0, +), pendingOfApp: own, apps: apps.values.count { $0 > 0 } + (own > 0 ? 0 : 1))
    }
}
