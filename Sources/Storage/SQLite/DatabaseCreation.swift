internal import Core
internal import POSIX
internal import SQLite

/// Creates a store's file, which gets its name only when it has all its tables. So a file without tables is never treated as a new store:
/// it may be a copy of a database without its log.
enum DatabaseCreation {
    /// Creates the file with mode 0600. If another process creates it at the same time, one succeeds and the other one uses that file.
    static func create(_ path: String) throws(StoreError) {
        guard try !StoreFiles.hasLog(path) else { throw .withoutDatabase(path) }
        let draft = "\(path).new-\(Process.identifier)"
        remove(draft)
        defer { remove(draft) }
        do throws(SystemError) {
            try File.create(draft, mode: 0o600, [])
        } catch {
            throw .cannotCreate(path, error)
        }
        try DatabaseFile.explained(path) { () throws(SQLiteError) in
            let connection = try Connection(path: draft, mode: .readWriteCreate)
            try Migrations.run(on: connection)
            try connection.close()
        }
        do throws(SystemError) {
            try File.link(draft, as: path)
            try File.synchronize(Path.directory(of: path))
        } catch {
            if !error.alreadyExists { throw .cannotCreate(path, error) }
        }
    }

    private static func remove(_ draft: String) {
        for name in [draft, "\(draft)-journal"] { try? File.remove(name) }
    }
}
