package import Core
internal import Storage

extension Configuration.Store {
    /// Opens the store; whoever gets it must close it.
    package func open() throws(StoreError) -> any Core.Store {
        switch kind {
        case .memory: return MemoryStore(maxPending: maximumPending)
        case .sqlite(let path):
            var settings = StoreSettings()
            settings.maxPending = maximumPending
            settings.minimumFreeBytes = UInt64(minimumFreeMegabytes) * 1_000_000
            return try SQLiteStore(path: path, settings: settings)
        }
    }
}
