internal import POSIX

/// The files of an open store, as SQLite has them open: what is written when one of them is not at its path any more, the next start does not
/// find.
struct StoreFiles {
    /// A file of a store.
    enum File: CaseIterable {
        case database, log, index

        /// What SQLite appends to the database's name.
        var suffix: String {
            switch self {
            case .database: ""
            case .log: "-wal"
            case .index: "-shm"
            }
        }
    }

    /// A file that is not where it was.
    struct Loss: Equatable {
        let file: File
        /// Whether another file lies there now.
        let isReplaced: Bool
    }

    let path: String
    private let files: [(file: File, path: String, identity: FileIdentity)]

    /// Looks at the files of a database that SQLite has written to, so that all of them exist.
    /// - Parameter database: which file the lock is on.
    init(_ path: String, database: FileIdentity) throws(SystemError) {
        self.path = path
        var files = [(file: File.database, path: path, identity: database)]
        for file in [File.log, .index] {
            files.append((file, path + file.suffix, try FileIdentity(path: path + file.suffix)))
        }
        self.files = files
    }

    /// The first file that is not at its path any more; nil when all are. Costs a stat(2) for each file.
    var loss: Loss? {
        for known in files {
            let present = try? FileIdentity(path: known.path)
            if present != known.identity { return Loss(file: known.file, isReplaced: present != nil) }
        }
        return nil
    }
}
