internal import AdminAPI
package import Configuration
package import Core
internal import Storage

/// Signs that the service of a configuration runs on this machine, which distinguish its own addresses from those of other processes.
///
/// The proof of the admin listener counts, also while the service has not opened its store. The lock of a SQLite store counts as well: a
/// service whose admin token has just changed in the files cannot prove itself before it is reloaded. Stores of other types do not show
/// their users, so with them addresses in use are skipped.
struct ServiceSigns {
    /// The process that uses the store as a service does, as the reason why it cannot be opened; nil also for a store that does not show
    /// it.
    let conflict: StoreError?
    let listener: AdminListenerIdentity

    /// Looks for them, at most for some seconds. Call it while this process does not read the store.
    /// - Parameter afterLock: called when the store's lock has been looked at.
    init(_ configuration: Configuration, afterLock: () -> Void = {}) {
        conflict = configuration.store.conflict
        afterLock()
        listener = AdminListenerIdentity(configuration.admin)
    }

    func obstacles(of configuration: Configuration) -> [ConfigurationProblem] {
        let stranger: String? =
            switch listener {
            case .unproven(let reason), .hangs(let reason): reason
            case .service, .nobody, .forbidden, .unknown: nil
            }
        // A user who may not open the socket sees nothing of the store, either.
        let isUsed = if case .sqlite = configuration.store.kind { conflict != nil } else { true }
        let mayBeServed = if case .forbidden = listener { true } else { listener == .service || isUsed }
        return configuration.listenerObstacles(mayBeServed: mayBeServed, stranger: stranger)
    }
}

extension Configuration.Store {
    /// `StoreFile.conflict`; nil for stores of other types, which do not show their users.
    package var conflict: StoreError? { if case .sqlite(let path) = kind { StoreFile.conflict(at: path) } else { nil } }
}

extension Configuration {
    /// Obstacles to starting the service on this machine, as this user; for root, as the owners of the paths. The service's own addresses
    /// are none while it runs.
    package func obstacles() -> [ConfigurationProblem] {
        unreadableFiles.problems + store.obstacles + ServiceSigns(self).obstacles(of: self)
    }
}
