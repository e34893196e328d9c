internal import Configuration
internal import Core
internal import Storage
internal import Threading
internal import Time

/// When the store was last backed up, as `deskgate store backup` has noted beside it.
final class BackupRecord: Sendable {
    private let path: String
    private let last: Monitor<UnixSeconds>

    /// Reads the note. Nil unless the store is a file: databases have tools of their own.
    init?(_ store: Configuration.Store) {
        guard case .sqlite(let path) = store.kind else { return nil }
        self.path = path
        last = Monitor(StoreFile.lastBackup(path) ?? 0)
    }

    /// The last time that was read; 0 when there was no backup.
    var time: UnixSeconds { last.withLock { $0 } }

    /// Reads the note again, which may block like the disk.
    func refresh() {
        let time = StoreFile.lastBackup(path) ?? 0
        last.withLock { $0 = time }
    }
}
