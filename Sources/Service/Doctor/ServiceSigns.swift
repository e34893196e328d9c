internal import AdminAPI
package import Configuration
package import Core
internal import Storage

/// Evidence that the configuration's service runs on this machine. It distinguishes the service's own addresses from addresses in use by
/// other processes.
///
/// The evidence is the proof of the admin listener, even before the service has opened its store, or the lock of a SQLite store: a service
/// whose admin token has just changed in the files cannot prove its identity before a reload. Stores of other types do not show their
/// users, so with them addresses in use are not reported.
struct ServiceSigns {
    /// The error that another process uses the store as a service does; nil when no process does, or the store's type does not show its
    /// users.
    let conflict: StoreError?
    let listener: AdminListenerIdentity

    /// Collects the evidence, which takes at most a few seconds. This process must not read the store meanwhile.
    /// - Parameter afterLock: called after the test of the store's lock.
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
        // A user without permission for the socket cannot access the store either.
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
    /// Returns the obstacles to starting the service on this machine as this user; for root, as the owners of the paths. The addresses of
    /// the running service itself are not obstacles.
    package func obstacles() -> [ConfigurationProblem] {
        unreadableFiles.problems + store.obstacles + ServiceSigns(self).obstacles(of: self)
    }
}
