package import Configuration
package import Core
internal import Observability
package import Operators
internal import POSIX
internal import Storage
internal import Threading
package import Time

extension Configuration.Store {
    /// Why a service could not open the store, as far as that is known without opening it; nil when no problem is known.
    package var problem: ConfigurationProblem? {
        guard case .sqlite(let path) = kind else { return nil }
        do throws(StoreError) {
            try StoreFile.check(path)
            return nil
        } catch {
            return ConfigurationProblem(path: "$.store.path", message: error.description)
        }
    }

    /// The path of the store.
    /// - Throws: when the store is in memory, which cannot be backed up.
    private var file: String {
        get throws(StoreError) {
            guard case .sqlite(let path) = kind else { throw StoreError(.unavailable, "the store is memory, which has no file") }
            return path
        }
    }

    /// Writes a copy of the store to a new file; as `StoreFile.backUp` says.
    package func backUp(to copy: String) throws(StoreError) {
        try StoreFile.backUp(file, to: copy)
    }

    /// Replaces the store by a backup; as `StoreFile.restore` says.
    /// - Returns: the path of the store, and the path of the former store if there was one.
    package func restore(_ backup: String, asItIs: Bool) throws(StoreError) -> (path: String, former: String?) {
        let path = try file
        return (path, try StoreFile.restore(backup, to: path, asItIs: asItIs))
    }

    /// Opens the store; the caller must close it.
    /// - Parameters:
    ///   - devicesPerUser: how many devices a person may have.
    ///     - movesAgain: as for `SQLiteStore`.
    package func open(devicesPerUser: Int, movesAgain: Bool = false) throws(StoreError) -> any Core.Store {
        let settings = settings(devicesPerUser: devicesPerUser)
        switch kind {
        case .memory: return MemoryStore(settings: settings)
        case .sqlite(let path): return try SQLiteStore(path: path, settings: settings, movesAgain: movesAgain)
        }
    }

    /// The settings that the configuration gives.
    func settings(devicesPerUser: Int) -> StoreSettings {
        var settings = StoreSettings()
        settings.maxPending = maximumPending
        settings.maxPendingPerNotifier = maximumPendingPerNotifier
        settings.minimumFreeBytes = UInt64(minimumFreeMegabytes) * 1_000_000
        settings.devicesPerUser = devicesPerUser
        return settings
    }
}

extension AdminAccess {
    /// Prepares access to the service of a configuration, or to its store when no service runs.
    package init(_ configuration: Configuration, clocks: Clocks = .system) {
        self.init(configuration, clocks: clocks) { () throws(StoreError) in
            guard case .sqlite(let path) = configuration.store.kind else {
                throw StoreError(.unavailable, "the service does not run, and its store is memory that went with it")
            }
            // Opening would create a store, which only the service should do.
            guard File.exists(path) else {
                throw StoreError(.unavailable, "the service does not run, and there is no store at \(path) yet")
            }
            return try configuration.store.open(devicesPerUser: configuration.pushTokens.devicesPerUser)
        }
    }
}
