package import AdminAPI
package import Configuration
package import Core
internal import HelpDesk
internal import Observability
internal import POSIX
internal import Postgres
package import Storage
internal import Threading
package import Time

extension Configuration.Store {
    /// The reason why a service could not open the store, as far as it can be determined without changes; nil when no problem is known
    /// except its obstacles. For a PostgreSQL database it connects, which takes up to five seconds.
    package var problem: ConfigurationProblem? {
        guard obstacles.isEmpty else { return nil }
        do throws(StoreError) {
            switch kind {
            case .memory: break
            case .sqlite(let path):
                try refuseNewDatabaseAsOwner(at: path)
                try StoreFile.check(path)
            case .postgres(let settings): try PostgresDatabase.check(settings)
            }
            return revocationsPath.flatMap(mistake)
        } catch {
            return ConfigurationProblem(path: place, message: error.description)
        }
    }

    /// Returns the reason why a service could not write the copy of the revocations at a path.
    private func mistake(ofCopyAt path: String) -> ConfigurationProblem? {
        revocationCopy?.mistake.map { ConfigurationProblem(path: "$.store.revocations_path", message: "\(path): \($0)") }
    }

    /// The configuration key of the store's location.
    private var place: String {
        if case .postgres = kind { "$.store.url" } else { "$.store.path" }
    }

    var name: String {
        switch kind {
        case .memory: "memory"
        case .sqlite(let path): path
        case .postgres(let address): "\(address)"
        }
    }

    /// The file with the copy of the revocations; nil when there is none.
    var revocationCopy: RevocationCopyFile? {
        let name: String
        switch kind {
        case .memory: return nil
        case .sqlite(let path):
            let directory = Path.directory(of: path)
            name = "sqlite:\((try? FileSystem.absolutePath(of: directory)) ?? directory) \(path.split(separator: "/").last ?? "")"
        case .postgres(let address): name = "postgres:\(address)"
        }
        return revocationsPath.map { RevocationCopyFile($0, of: name, maximumAge: UInt64(revocationsMaximumAgeSeconds)) }
    }

    /// Runs `change`, which may change the store's revocations, and prevents the use of a copy that it makes wrong: a start without the
    /// store uses no copy until this function or a service has written it again. A command run by root writes the copy with the permissions
    /// of its path's owner. While the store is open, other threads write to it, so both paths should have one owner: then the permissions
    /// do not change.
    func whileCopyIsEmpty<Value>(
        _ store: any Store, now: UnixSeconds, _ change: () throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        guard let revocationCopy, let revocationsPath else { return try change() }
        let hasCopy = try StoreFile.asOwner(of: revocationsPath) { () throws(StoreError) in
            do throws(RevocationCopyFile.Failure) {
                return try revocationCopy.invalidate()
            } catch {
                throw StoreError(.unavailable, error.description, remedy: error.command.map { "as root: \($0)" })
            }
        }
        let value = try change()
        // Otherwise the copy stays empty until a service writes it.
        if hasCopy, let revocations = try? store.allRevocations() {
            try? StoreFile.asOwner(of: revocationsPath) { () throws(StoreError) in try? revocationCopy.write(revocations, now: now) }
        }
        return value
    }

    /// The path of the store.
    /// - Throws: when the store is no file; the description contains the alternative.
    var file: String {
        get throws(StoreError) {
            switch kind {
            case .sqlite(let path): return path
            case .memory: throw StoreError(.unavailable, "the store is in memory and has no file")
            case .postgres:
                throw StoreError(
                    .unavailable, "the store is a PostgreSQL database",
                    remedy: "its own tools back it up and restore it (pg_dump, pg_basebackup)")
            }
        }
    }

    /// The path of the store, for a command that uses an existing one.
    /// - Throws: also when a database that existed is missing.
    private var presentFile: String {
        get throws(StoreError) {
            let path = try file
            try refuseNewDatabaseAsOwner(at: path)
            return path
        }
    }

    /// Writes a copy of the store to a new file; as `StoreFile.backUp` says.
    /// - Returns: the reason why the time of the backup could not be recorded for metrics; nil when it was.
    package func backUp(to copy: String) throws(StoreError) -> String? {
        let (file, time) = (try presentFile, SystemClock.unixSeconds())
        try StoreFile.backUp(file, to: copy)
        do throws(SystemError) {
            try StoreFile.noteBackup(of: file, at: time)
            return nil
        } catch {
            return error.description
        }
    }

    /// Returns the state of the store.
    /// - Throws: when it is memory, is missing, or cannot be reached.
    package func report() throws(StoreError) -> StoreReport {
        if case .postgres(let settings) = kind { return try PostgresDatabase.report(settings) }
        return try StoreFile.report(presentFile)
    }

    /// Migrates the schema of the store to the current version, like the first start of a new version.
    /// - Parameters:
    ///   - owner: the address of a PostgreSQL role that may create tables; nil for the configured one. It is a secret.
    ///   - role: a PostgreSQL role that gets the privileges of a service; nil grants nothing.
    /// - Returns: the versions before and after.
    package func migrate(as owner: String?, grantingTo role: String?) throws(StoreError) -> (before: Int, now: Int) {
        if case .postgres(let settings) = kind {
            return try PostgresDatabase.migrate(try owner.map(Self.address) ?? settings, grantingTo: role)
        }
        guard owner == nil, role == nil else {
            throw StoreError(.unavailable, "only PostgreSQL has roles, and the store is not of type postgres")
        }
        let file = try presentFile
        let before = try StoreFile.report(file).version
        try StoreFile.asOwner(of: file) { () throws(StoreError) -> Void in try open(devicesPerUser: 1).close() }
        return (before, try StoreFile.report(file).version)
    }

    private static func address(_ text: String) throws(StoreError) -> ConnectionSettings {
        do throws(PostgresError) {
            return try ConnectionSettings(text.utf8.span)
        } catch {
            throw StoreError(.unavailable, error.description)
        }
    }

    /// Opens the store; the caller must close it.
    /// - Parameters:
    ///   - devicesPerUser: the maximum number of devices of a person.
    ///   - movesAgain: see `SQLiteStore`.
    ///   - replica: see `PostgresStore`.
    package func open(
        devicesPerUser: Int, movesAgain: Bool = false, replica: UUIDv7? = nil
    ) throws(StoreError) -> any Core.Store {
        let settings = settings(devicesPerUser: devicesPerUser)
        switch kind {
        case .memory: return MemoryStore(settings: settings)
        case .sqlite(let path):
            try refuseNewDatabase(at: path)
            return try SQLiteStore(path: path, settings: settings, movesAgain: movesAgain)
        case .postgres(let address): return try PostgresStore(address, replica: replica, settings: settings)
        }
    }

    /// Opens an existing store for a command, with the permissions of the path's owner, and closes it after `body`.
    fileprivate func lend<Value>(
        devicesPerUser: Int, _ body: (any Core.Store) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        func run() throws(StoreError) -> Value {
            let store = try open(devicesPerUser: devicesPerUser)
            defer { store.close() }
            return try body(store)
        }
        switch kind {
        case .memory: throw StoreError(.unavailable, "it is in memory and ended with the service")
        case .sqlite(let path):
            // Opening would create a store, which only the service should do.
            guard File.exists(path) else {
                try refuseNewDatabaseAsOwner(at: path)
                throw StoreError(.unavailable, "there is no store at \(path) yet")
            }
            return try StoreFile.asOwner(of: path, run)
        case .postgres: return try run()
        }
    }

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
    /// - Parameters:
    ///   - author: the author of changes; nil for a command that changes nothing.
    ///   - start: the command that starts the service; nil when unknown.
    package init(
        _ configuration: Configuration, clocks: Clocks = .system, author: String? = nil, start: @escaping () -> String? = { nil }
    ) {
        self.init(
            configuration, clocks: clocks, author: author, start: start, conflict: { configuration.store.conflict }
        ) { action throws(StoreError) in
            try configuration.store.lend(devicesPerUser: configuration.pushTokens.devicesPerUser, action)
        } aroundChange: { store, change throws(StoreError) in
            try configuration.store.whileCopyIsEmpty(store, now: clocks.unixSeconds(), change)
        }
    }
}
