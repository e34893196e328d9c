internal import Configuration
internal import Core
internal import Storage
internal import Threading
internal import Time

/// The time of the store's last backup, recorded beside it by `deskgate store backup`.
final class BackupRecord: Sendable {
    private let path: String
    private let last: Monitor<UnixSeconds>

    /// Reads the record. Nil unless the store is a file: databases have their own tools.
    init?(_ store: Configuration.Store) {
        guard case .sqlite(let path) = store.kind else { return nil }
        self.path = path
        last = Monitor(StoreFile.lastBackup(path) ?? 0)
    }

    /// The last time read; 0 without a backup.
    var time: UnixSeconds { last.withLock { $0 } }

    /// Reads the record again, which may block like the disk.
    func refresh() {
        let time = StoreFile.lastBackup(path) ?? 0
        last.withLock { $0 = time }
    }
}
