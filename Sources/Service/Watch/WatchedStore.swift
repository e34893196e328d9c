internal import AdminAPI
internal import Core
internal import Threading

/// Facts about the store and the certificates' files that only a blocking read can provide, as the watch last read them. Any thread may
/// call it.
final class WatchedStore: Sendable {
    private let latest = Monitor<StoreFacts>(StoreFacts())

    var facts: StoreFacts { latest.withLock { $0 } }

    /// Reads the facts again. Blocks like the store and its disk. The facts of a store that does not respond are unknown, which is a
    /// separate problem. Call it on one thread.
    func look(_ configuration: WatchedConfiguration, _ store: any Store) {
        let (before, thresholds) = (self.facts.disks, configuration.thresholds)
        var facts = StoreFacts()
        facts.renewedCertificates = configuration.renewedCertificates()
        facts.pending = (try? store.pending()) ?? []
        facts.dead = (try? store.dead())?.deliveries ?? []
        facts.disks = configuration.disks.compactMap { disk in
            guard let free = disk.space?.free else { return nil }
            let wasLow = before.contains {
                $0.name == disk.name && DiskRule.isLow(freeBytes: $0.freeBytes, wasLow: $0.wasLow, thresholds)
            }
            return (disk.name, free, wasLow)
        }
        facts.appsWithoutDevices = configuration.appsForDevices.filter { (try? Self.lacksDevices($0, store)) ?? false }
        latest.withLock { $0 = facts }
    }

    /// Whether no device of an app is registered, and enough comments have found no device.
    private static func lacksDevices(_ app: String, _ store: any Store) throws(StoreError) -> Bool {
        guard try store.devices(DeviceFilter(appID: app), after: nil, limit: 1).isEmpty else { return false }
        let fewest = Int(AnswerWindow.fewest)
        var filter = DeliveryFilter()
        (filter.appID, filter.state) = (app, .noTarget)
        return try store.page(of: filter, after: nil, limit: fewest).deliveries.count >= fewest
    }
}
