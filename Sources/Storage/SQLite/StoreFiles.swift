internal import Core
internal import POSIX

/// The files of an open store, by path and inode. If a file is no longer at its path, the next start would not find the data that is
/// written to it.
struct StoreFiles {
    enum File: CaseIterable {
        case database, log, index

        var suffix: String {
            switch self {
            case .database: ""
            case .log: "-wal"
            case .index: "-shm"
            }
        }
    }

    /// A file that is no longer at its path.
    struct Loss: Equatable {
        let file: File
        let isReplaced: Bool
    }

    let path: String
    private let files: [(file: File, path: String, identity: FileIdentity)]

    /// Identifies the files of a database to which SQLite has already written, so that all of them exist.
    /// - Parameter database: the locked file.
    init(_ path: String, database: FileIdentity) throws(SystemError) {
        self.path = path
        var files = [(file: File.database, path: path, identity: database)]
        for file in [File.log, .index] {
            files.append((file, path + file.suffix, try FileIdentity(path: path + file.suffix)))
        }
        self.files = files
    }

    /// Whether a database has a log that is not empty. During a run the log is never empty (`WritingDatabase.emptyLog`); SQLite creates an
    /// empty log for a database that it opens without one.
    /// - Throws: when the file cannot be examined.
    static func hasLog(_ path: String) throws(StoreError) -> Bool {
        let log = path + File.log.suffix
        do throws(SystemError) {
            return try FileSystem.size(of: log) > 0
        } catch {
            guard error.isMissing else { throw .cannotOpen(log, error) }
            return false
        }
    }

    /// The first file that is no longer at its path; nil when all are. Costs a stat(2) for each file.
    var loss: Loss? {
        for known in files {
            let present = try? FileIdentity(path: known.path)
            if present != known.identity { return Loss(file: known.file, isReplaced: present != nil) }
        }
        return nil
    }
}
