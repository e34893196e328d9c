internal import Core
internal import POSIX
internal import SQLite

enum DatabaseCopy {
    /// Writes a connection's snapshot to a new file with mode 0600. The copy needs no log, was checked for damage, and gets its name only
    /// when it is complete and durable.
    /// - Parameters:
    ///   - source: the connection's file, which is named in a report of damage.
    ///   - path: the new file.
    ///   - model: if root runs a command, the path whose owner creates and owns the file; nil in a service.
    /// - Throws: when the name is in use, or the copy could not be created; no file is left behind then.
    static func write(
        _ connection: Connection, of source: String, to path: String, asOwnerOf model: String? = nil
    ) throws(StoreError) {
        guard let model else { return try make(path, from: connection, of: source) }
        try StoreFile.asOwner(of: model) { () throws(StoreError) in try make(path, from: connection, of: source) }
    }

    private static func make(_ path: String, from connection: Connection, of source: String) throws(StoreError) {
        let draft = "\(path).part-\(Process.identifier)"
        remove(draft)
        defer { remove(draft) }
        try onDisk(path) { () throws(SystemError) in
            guard !File.exists(path) else { throw SystemError.taken }
            try File.create(draft, mode: 0o600, [])
        }
        do throws(SQLiteError) {
            try connection.copy(into: draft)
        } catch {
            // Damage also shows as other errors, such as a full disk.
            let findings = (try? connection.integrityCheck()) ?? []
            throw findings.isEmpty ? StoreError(error, about: path) : .damaged(source, findings)
        }
        try prove(draft, of: source, path)
        try onDisk(path) { () throws(SystemError) in
            try File.synchronize(draft)
            try File.link(draft, as: path)
            do throws(SystemError) {
                try File.synchronize(Path.directory(of: path))
            } catch {
                try? File.remove(path)
                throw error
            }
        }
    }

    /// Marks the copy as closed, because the original may be open, and checks it for damage.
    private static func prove(_ draft: String, of source: String, _ path: String) throws(StoreError) {
        let findings = try DatabaseFile.explained(path) { () throws(SQLiteError) in
            let copy = try Connection(path: draft, mode: .readWriteCreate)
            try copy.execute("UPDATE runs SET closed = 1")
            let findings = try copy.integrityCheck()
            try copy.close()
            return findings
        }
        guard findings.isEmpty else { throw .damaged(source, findings) }
    }

    private static func onDisk(_ path: String, _ body: () throws(SystemError) -> Void) throws(StoreError) {
        do throws(SystemError) {
            try body()
        } catch {
            throw error.alreadyExists ? .exists(path) : .cannotCreate(path, error)
        }
    }

    private static func remove(_ draft: String) {
        for suffix in ["", "-journal", "-wal", "-shm"] { try? File.remove(draft + suffix) }
    }
}
