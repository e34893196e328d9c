internal import Core
internal import POSIX
internal import Threading

/// The lock that keeps other processes, and other stores of this process, from using the same database. SQLite's own locks last only for a
/// transaction, but leases need one owner.
///
/// It locks a byte of the database's inode that SQLite never locks. So there is no lock file that could be removed or left behind by
/// another user. It is taken before SQLite opens the file and released after SQLite has closed it, for the reason given at `FileLock`.
final class DatabaseLock: Sendable {
    /// The bytes that SQLite locks (<https://www.sqlite.org/fileformat2.html#the_lock_byte_page>). Every open connection with a write-ahead
    /// log holds a lock on one of them.
    private static let bytesOfSQLite: Range<Int64> = 0x4000_0000..<0x4000_0200
    private static let byte = Int64.max - 1
    /// The files that this process has locked. A second attempt would drop SQLite's locks, which belong to the process as a whole.
    private static let held = Monitor<Set<FileIdentity>>([])

    let identity: FileIdentity
    private let lock: FileLock

    /// Takes the lock without waiting.
    /// - Throws: `unavailable`, with the process that has the lock, or with the reason why the file cannot be opened.
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
        // The lock itself is released after this. A caller in between still finds it held, which is harmless.
        Self.held.withLock { _ = $0.remove(identity) }
    }

    /// Returns the error if the lock could not be taken now, because a process uses the database as a store instead of only reading it like
    /// backups and reports. Returns nil when none does. Do not call it while this process has the database open, for the reason given at
    /// `FileLock`.
    static func conflict(at path: String) -> StoreError? {
        FileLock.isHeld(path, byte: byte) ? .inUse(path, by: FileLock.holder(of: bytesOfSQLite, in: path)) : nil
    }

    /// Whether the database was unlinked, so that it is lost when its last descriptor is closed.
    var isRemoved: Bool { lock.isRemoved }

    /// Another process that has the database open, as `StoreError.holder` names it; nil when there is none.
    var otherUser: String? {
        lock.holder(of: Self.bytesOfSQLite).map { StoreError.holder($0) }
    }

    func search(for texts: [[UInt8]]) throws(SystemError) -> FileSearch.Finding { try lock.search(for: texts) }

    private static func identity(of path: String) throws(StoreError) -> FileIdentity {
        do throws(SystemError) {
            return try FileIdentity(path: path)
        } catch {
            throw .cannotOpen(path, error)
        }
    }
}
