/// Where events are kept, and for how long.
extension ConfigurationReader {
    private enum StoreType: String, CaseIterable {
        case sqlite, memory
    }

    func store(_ object: ConfigurationObject?) -> Configuration.Store {
        let maximumPending = object?.integer("max_pending", 1...1_000_000_000, default: 1_000_000) ?? 1_000_000
        // Three notifiers that are dead leave room for the others.
        let share = max(1, maximumPending / 4)
        return Configuration.Store(
            kind: storeKind(object), maximumPending: maximumPending,
            maximumPendingPerNotifier: object?.integer("max_pending_per_notifier", 1...1_000_000_000, default: share) ?? share,
            minimumFreeMegabytes: object?.integer("minimum_free_megabytes", 0...1_000_000, default: 100) ?? 100)
    }

    func deliveries(_ object: ConfigurationObject?) -> Configuration.Deliveries {
        Configuration.Deliveries(
            expireAfterSeconds: object?.integer("expire_after_seconds", 1...30 * 86_400, default: 86_400) ?? 86_400,
            keepDeliveredDays: object?.integer("keep_delivered_days", 0...3650, default: 7) ?? 7,
            keepDeadDays: object?.integer("keep_dead_days", 0...3650, default: 30) ?? 30)
    }

    private func storeKind(_ object: ConfigurationObject?) -> Configuration.Store.Kind {
        let path = object?.string("path")
        switch object?.choice("type", default: StoreType.sqlite) ?? .sqlite {
        case .sqlite: return .sqlite(path: secrets.resolve(path ?? "deskgate.db"))
        case .memory:
            if let object, path != nil { problems.add(object.path(of: "path"), "a store in memory has no path; remove it") }
            return .memory
        }
    }
}
