package import Core
internal import POSIX
package import Storage

extension Configuration.Store {
    /// Opens the store; whoever gets it must close it.
    /// - Parameters:
    ///   - devicesPerUser: how many devices a person may have.
    ///   - announcer: makes the events that tell of changes in the registry.
    package func open(devicesPerUser: Int, announcer: @escaping RegistryAnnouncer) throws(StoreError) -> any Core.Store {
        let settings = settings(devicesPerUser: devicesPerUser) { Process.environment($0) }
        switch kind {
        case .memory: return MemoryStore(settings: settings, announcer: announcer)
        case .sqlite(let path): return try SQLiteStore(path: path, settings: settings, announcer: announcer)
        }
    }

    /// The settings that the configuration gives.
    ///
    /// Two environment variables, for `make bench` alone, make it slower: `DESKGATE_BENCHMARK_COMMIT_DELAY_MS` milliseconds are added to each
    /// commit as if the disk took them, and at most `DESKGATE_BENCHMARK_BATCH` calls share a commit. What is no number above 0 is passed over.
    /// - Parameter environment: looks up environment variables.
    func settings(devicesPerUser: Int, environment: (String) -> String?) -> StoreSettings {
        func number(_ name: String) -> Int? {
            environment(name).flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
        }
        var settings = StoreSettings()
        settings.maxPending = maximumPending
        settings.maxPendingPerNotifier = maximumPendingPerNotifier
        settings.minimumFreeBytes = UInt64(minimumFreeMegabytes) * 1_000_000
        settings.devicesPerUser = devicesPerUser
        if let delay = number("DESKGATE_BENCHMARK_COMMIT_DELAY_MS") { settings.commitDelayMilliseconds = UInt64(delay) }
        if let batch = number("DESKGATE_BENCHMARK_BATCH") { settings.maximumBatch = batch }
        return settings
    }
}
