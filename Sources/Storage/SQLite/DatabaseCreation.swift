internal import Core
internal import POSIX
internal import SQLite

/// A new store's file, which appears under its name with all its tables: a file without them is never taken for a new one, since a copy of a
/// database without its log looks like that.
enum DatabaseCreation {
    /// Makes the file, for its owner only. When another process makes it at the same time, one of them succeeds and the other one finds it.
    static func create(_ path: String) throws(StoreError) {
        let log = path + StoreFiles.File.log.suffix
        guard ((try? FileSystem.size(of: log)) ?? 0) == 0 else { throw .withoutDatabase(path) }
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
