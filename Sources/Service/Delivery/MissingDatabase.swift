internal import Configuration
internal import Core
internal import HelpDesk
internal import Observability
internal import POSIX
internal import Storage
internal import Threading
internal import Time

extension Configuration.Store {
    /// Refuses to create a database if the copy of the revocations shows that one existed, which was moved away or removed, or whose disk
    /// is not mounted. With an empty one, revoked keys and blocked users would be allowed again.
    func refuseNewDatabase(at path: String) throws(StoreError) {
        guard Self.isMissing(path), let trace = revocationCopy?.evidenceOfStore else { return }
        throw StoreError(
            .unavailable, "\(path) is missing, but \(trace)",
            remedy: "\(Self.remedy(at: path)). To start with an empty database, without revocations and blocks, remove "
                + "that copy")
    }

    /// The same for a command, with the permissions of the owner of the copy's path.
    /// - Throws: also when several users control the path of a file, because root's service creates none there, either.
    func refuseNewDatabaseAsOwner(at path: String) throws(StoreError) {
        guard Self.isMissing(path) else { return }
        for file in files { try StoreFile.asOwner(of: file) { () throws(StoreError) in } }
        guard let revocationsPath, File.exists(revocationsPath) else { return }
        try StoreFile.asOwner(of: revocationsPath) { () throws(StoreError) in try refuseNewDatabase(at: path) }
    }

    /// An inaccessible path is not missing. A link into a disk that is not mounted is.
    private static func isMissing(_ path: String) -> Bool { FileSystem.obstacle(toReading: path)?.isMissing == true }

    /// A database that was removed while a service had it open was saved in another file, which is newer than any backup.
    private static func remedy(at path: String) -> String {
        let rescue = StoreFile.rescued(from: path).map { rescued, time in
            "the service saved it at \(RFC3339.text(time.milliseconds)), when it was removed: \(StoreFile.restoration(of: rescued)); otherwise "
        }
        return "\(rescue ?? "")put the database back, mount its disk, or restore a backup (deskgate store restore)"
    }
}

/// Logs once, when the store is opened, that the store was created, which may be after the start. If there was another store, its
/// revocations are lost, and only the log shows since when.
struct NewStoreLog: Sendable {
    private let store: any Store
    private let name: String
    private let logger: Logger
    private let isWritten = Monitor(false)

    init(_ store: any Store, _ configured: Configuration.Store, logger: Logger) {
        (self.store, name, self.logger) = (store, configured.name, logger)
    }

    /// Does not block.
    func tell() {
        guard store.isNew else { return }
        let wasWritten = isWritten.withLock { isWritten in
            defer { isWritten = true }
            return isWritten
        }
        if wasWritten { return }
        logger.log(.info, message: "made a new, empty store: it has no revocations and no blocks", fields: ["store": .string(name)])
    }
}
