package import Core
internal import POSIX
internal import SQLite
internal import Time

/// A store's file in the hands of an operator: looked at, backed up and restored.
package enum StoreFile {
    /// Looks whether a service could open the file, as far as that is known without searching it for damage; who has it open does not matter.
    /// - Throws: why it could not, with the remedy. A file that does not exist is no reason.
    package static func check(_ path: String) throws(StoreError) {
        guard File.exists(path) else { return }
        _ = try open(path, asItIs: false)
    }

    /// Writes a copy of a store, as of this moment, to a new file for its owner only. A service may have the store open and goes on.
    /// - Throws: when there is no store or no room, or the new file exists; then nothing is left behind.
    package static func backUp(_ path: String, to copy: String) throws(StoreError) {
        guard File.exists(path) else { throw .noStore(path) }
        guard !File.exists(copy) else { throw .exists(copy) }
        try DatabaseCopy.write(try open(path, asItIs: false), to: copy)
    }

    /// Puts a store in the place of the one at a path, which no service may have open.
    ///
    /// The former one stays beside it with its log, under another name. Losing power at any moment leaves either store, or one that is refused at
    /// the start, and then restoring can be done again.
    /// - Parameters:
    ///   - backup: a store that was closed or backed up; it is searched for damage first.
    ///   - asItIs: whether to take one whose log is missing.
    /// - Returns: where the former store lies; nil when there was none.
    /// - Throws: when the backup cannot be used, or the store is in use; then everything is as it was.
    package static func restore(_ backup: String, to path: String, asItIs: Bool) throws(StoreError) -> String? {
        guard File.exists(backup) else { throw .noStore(backup) }
        let exists = File.exists(path)
        // Held to the end, so that a service that waits for the store finds the new one.
        let lock = exists ? try DatabaseLock(path) : nil
        defer { withExtendedLifetime(lock) {} }
        if let user = lock?.otherUser { throw .isOpenElsewhere(path, user) }
        let draft = "\(path).restored-\(Process.identifier)"
        try? File.remove(draft)
        let model = Process.isPrivileged ? (exists ? path : Path.directory(of: path)) : nil
        try DatabaseCopy.write(try open(backup, asItIs: asItIs), to: draft, ownedAs: model)
        do throws(SystemError) {
            let former = "\(path).before-\(SystemClock.unixSeconds())"
            try setAside(path, as: former, exists: exists)
            // Where there was none, a service that makes one now must not lose it.
            try exists ? File.rename(draft, to: path) : File.link(draft, as: path)
            try? File.remove(draft)
            try File.synchronize(Path.directory(of: path))
            return exists ? former : nil
        } catch {
            try? File.remove(draft)
            throw .cannotCreate(path, error)
        }
    }

    /// Gives the former store another name, and its log too, which would otherwise be taken for the new store's.
    private static func setAside(_ path: String, as former: String, exists: Bool) throws(SystemError) {
        if exists { try File.link(path, as: former) }
        let log = StoreFiles.File.log.suffix
        if File.exists(path + log) { try File.rename(path + log, to: former + log) }
        if File.exists(path + StoreFiles.File.index.suffix) { try File.remove(path + StoreFiles.File.index.suffix) }
        try File.synchronize(Path.directory(of: path))
    }

    /// Opens a store, to be read.
    private static func open(_ path: String, asItIs: Bool) throws(StoreError) -> Connection {
        let hasLog = File.exists(path + StoreFiles.File.log.suffix)
        let (connection, version) = try DatabaseFile.explained(path) { () throws(SQLiteError) in
            // One that only reads would leave an empty log behind, where the missing one should be missed.
            let connection = try Connection(path: path, mode: hasLog ? .readOnly : .readWriteCreate)
            connection.setBusyTimeout(milliseconds: StoreSettings().busyTimeoutMilliseconds)
            return (connection, try connection.userVersion())
        }
        try DatabaseFile.checkVersion(version, of: path)
        let wasClosed = try DatabaseFile.explained(path) { () throws(SQLiteError) in try DatabaseFile.wasClosed(connection) }
        guard wasClosed || hasLog || asItIs else { throw .withoutLog(path) }
        return connection
    }
}
