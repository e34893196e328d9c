package import Core
package import Storage

extension Configuration.Store {
    /// Opens the store; whoever gets it must close it.
    /// - Parameters:
    ///   - devicesPerUser: how many devices a person may have.
    ///   - announcer: makes the events that tell of changes in the registry.
    package func open(devicesPerUser: Int, announcer: @escaping RegistryAnnouncer) throws(StoreError) -> any Core.Store {
        var settings = StoreSettings()
        settings.maxPending = maximumPending
        settings.minimumFreeBytes = UInt64(minimumFreeMegabytes) * 1_000_000
        settings.devicesPerUser = devicesPerUser
        switch kind {
        case .memory: return MemoryStore(settings: settings, announcer: announcer)
        case .sqlite(let path): return try SQLiteStore(path: path, settings: settings, announcer: announcer)
        }
    }
}
