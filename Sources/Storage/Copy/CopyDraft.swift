internal import Core
internal import POSIX
internal import SQLite

/// The temporary file for a copy of a PostgreSQL store. It is renamed to `path` when the copy is complete.
struct CopyDraft {
    let path: String

    private var file: String { "\(path).copying" }

    /// Returns the number of the copy whose source or result a store is; nil when there is none, or a service has opened the store since.
    static func mark(of path: String) throws(StoreError) -> Int64? {
        try StoreFile.read(path) { connection throws(StoreError) in
            try DatabaseFile.explained(path) { () throws(SQLiteError) in try SQLiteCopyEnd.mark(connection) }
        }
    }

    /// Returns whether a draft exists that this copy can continue. Removes any other draft that may be removed.
    /// - Parameters:
    ///   - copy: the number of the copy, as stored in the source.
    ///   - beginsAnew: whether to remove a draft in every case.
    /// - Throws: when the draft belongs to another copy.
    func continues(_ copy: Int64?, beginsAnew: Bool) throws(StoreError) -> Bool {
        guard try !StoreFiles.hasLog(path) else { throw .withoutDatabase(path) }
        guard File.exists(file) else { return false }
        let lock = try DatabaseLock(file)
        defer { withExtendedLifetime(lock) {} }
        let mark: Int64?
        do throws(StoreError) {
            mark = try Self.mark(of: file)
        } catch {
            // The command was killed before the draft had its tables.
            guard error.kind == .corrupt else { throw error }
            mark = nil
        }
        if let mark, !beginsAnew {
            guard mark == copy else { throw .copyOfOther(file) }
            return true
        }
        remove()
        return false
    }

    func create(_ copy: Int64) throws(StoreError) {
        do throws(SystemError) {
            try File.create(file, mode: 0o600, [])
        } catch {
            throw .cannotCreate(path, error)
        }
        try DatabaseFile.explained(path) { () throws(SQLiteError) in
            let connection = try Connection(path: file, mode: .readWriteCreate)
            try Migrations.run(on: connection)
            try connection.close()
        }
        try SQLiteCopyEnd(file).setMark(copy)
    }

    /// Locks the draft against other processes, passes it to `body`, and then renames it to `path`.
    func fill<Value>(_ body: (SQLiteCopyEnd) throws(StoreError) -> Value) throws(StoreError) -> Value {
        let lock = try DatabaseLock(file)
        // Holds the lock until the end, so that a service that waits for the store opens only the complete store.
        defer { withExtendedLifetime(lock) {} }
        let end = try SQLiteCopyEnd(file)
        let value = try body(end)
        try end.finish()
        do throws(SystemError) {
            try File.synchronize(file)
            // Fails when another store was created at this path meanwhile.
            try File.link(file, as: path)
            remove()
            try File.synchronize(Path.directory(of: path))
        } catch {
            throw error.alreadyExists ? .copyTargetExists(path) : .cannotCreate(path, error)
        }
        return value
    }

    func remove() {
        for suffix in ["", "-journal", "-wal", "-shm"] { try? File.remove(file + suffix) }
    }
}
