internal import Core
internal import POSIX
internal import Threading

/// The lock that keeps other processes, and other stores in this one, from working on the same database: SQLite's own locks last for a
/// transaction only, and leases need one owner.
///
/// It is a lock on a byte of the database's inode that SQLite never locks, so removing files opens no way in, and no file of its own can be left
/// behind by another user. It is taken before SQLite opens the file and let go after SQLite has closed it, for the reason that `FileLock` names.
final class DatabaseLock: Sendable {
    /// The bytes that SQLite locks (<https://www.sqlite.org/fileformat2.html#the_lock_byte_page>); every open connection with a write-ahead log
    /// keeps one of them locked.
    private static let bytesOfSQLite: Range<Int64> = 0x4000_0000..<0x4000_0200
    private static let byte = Int64.max - 1
    /// What this process has locked, because a second attempt would drop SQLite's locks. Of the whole process, as those are.
    private static let held = Monitor<Set<FileIdentity>>([])

    /// Which file is locked.
    let identity: FileIdentity
    private let lock: FileLock

    /// Takes the lock without waiting.
    /// - Throws: `unavailable`, with who has the lock, or why the file cannot be opened.
    init(_ path: String) throws(StoreError) {
        let identity = try Self.identity(of: path)
        guard Self.held.withLock({ $0.insert(identity).inserted }) else { throw .inUse(path, by: nil) }
        do throws(FileLock.Failure) {
            lock = try FileLock(path, byte: Self.byte, others: Self.bytesOfSQLite)
        } catch {
            Self.held.withLock { _ = $0.remove(identity) }
            switch error {
            case .held(let process): throw .inUse(path, by: process)
            case .system(let error): throw .cannotOpen(path, error)
            }
        }
        self.identity = identity
    }

    deinit {
        // The lock itself goes after this; whoever comes in between finds it held, as a moment ago.
        Self.held.withLock { _ = $0.remove(identity) }
    }

    /// Whether the database has no name any more, so that it ends with its last descriptor.
    var isRemoved: Bool { lock.isRemoved }

    /// Another process that has the database open, as `StoreError.holder` names it; nil when there is none.
    var otherUser: String? {
        lock.holder(of: Self.bytesOfSQLite).map { StoreError.holder($0) }
    }

    private static func identity(of path: String) throws(StoreError) -> FileIdentity {
        do throws(SystemError) {
            return try FileIdentity(path: path)
        } catch {
            throw .cannotOpen(path, error)
        }
    }
}
