internal import Core
internal import POSIX
internal import SQLite

/// The file in which a copy of a PostgreSQL store grows, beside the path that it gets when it is complete.
struct CopyDraft {
    let path: String

    private var file: String { "\(path).copying" }

    /// The copy that a store is the source or the result of; nil when there is none, or a service has opened the store since.
    static func mark(of path: String) throws(StoreError) -> Int64? {
        try StoreFile.read(path) { connection throws(StoreError) in
            try DatabaseFile.explained(path) { () throws(SQLiteError) in try SQLiteCopyEnd.mark(connection) }
        }
    }

    /// Whether there is a draft that continues a copy.
    /// - Parameters:
    ///   - copy: the copy that the source knows.
    ///   - beginsAnew: whether a draft is removed in any case.
    /// - Throws: when there is a draft of another copy.
    func continues(_ copy: Int64?, beginsAnew: Bool) throws(StoreError) -> Bool {
        guard try !StoreFiles.hasLog(path) else { throw .withoutDatabase(path) }
        guard File.exists(file) else { return false }
        let lock = try DatabaseLock(file)
        defer { withExtendedLifetime(lock) {} }
        let mark: Int64?
        do throws(StoreError) {
            mark = try Self.mark(of: file)
        } catch {
            // A draft that was killed before it had its tables.
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

    /// Lends the draft, which no other process can open meanwhile, and gives it its name when `body` has filled it.
    func fill<Value>(_ body: (SQLiteCopyEnd) throws(StoreError) -> Value) throws(StoreError) -> Value {
        let lock = try DatabaseLock(file)
        // Held to the end, so that a service that waits for the store opens it when everything is done.
        defer { withExtendedLifetime(lock) {} }
        let end = try SQLiteCopyEnd(file)
        let value = try body(end)
        try end.finish()
        do throws(SystemError) {
            try File.synchronize(file)
            // Fails when a store was made meanwhile.
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
