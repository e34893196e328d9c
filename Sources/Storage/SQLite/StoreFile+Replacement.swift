internal import Core
internal import POSIX

extension StoreFile {
    /// Moves a draft to the path of a store, and gives the former store and its log another name. If a step fails, the steps before it are
    /// undone.
    /// - Parameters:
    ///   - exists: whether there is a former store, not only its log.
    ///   - former: the name for the former store.
    static func replace(_ path: String, by draft: String, exists: Bool, former: String) throws(StoreError) {
        var undo: [UndoStep] = []
        do throws(SystemError) {
            try setAside(path, as: former, exists: exists, &undo)
            if exists {
                try File.rename(draft, to: path)
                undo.append(.rename(former, to: path))
            } else {
                // Fails if a service creates a store now, so that nothing is overwritten.
                try File.link(draft, as: path)
                undo.append(.remove(path))
            }
            try File.synchronize(Path.directory(of: path))
        } catch let failure {
            do throws(SystemError) {
                for step in undo.reversed() { try step.take() }
            } catch {
                throw .halfReplaced(path, former: former, error: failure, second: error)
            }
            throw .cannotCreate(path, failure)
        }
    }

    /// Renames the former store and its log; SQLite would otherwise use that log for the new store.
    private static func setAside(_ path: String, as former: String, exists: Bool, _ undo: inout [UndoStep]) throws(SystemError) {
        let (log, index) = (path + StoreFiles.File.log.suffix, path + StoreFiles.File.index.suffix)
        let formerLog = former + StoreFiles.File.log.suffix
        if exists {
            try File.link(path, as: former)
            undo.append(.remove(former))
        }
        if File.exists(log) {
            try File.rename(log, to: formerLog)
            undo.append(.rename(formerLog, to: log))
        }
        // SQLite creates it again.
        if File.exists(index) { try File.remove(index) }
        try File.synchronize(Path.directory(of: path))
    }
}

/// The reverse of one step of a replacement.
private enum UndoStep {
    case remove(String)
    case rename(String, to: String)

    func take() throws(SystemError) {
        switch self {
        // When the former store has its first name again, its second name is removed.
        case .remove(let path): if File.exists(path) { try File.remove(path) }
        case .rename(let path, let name): try File.rename(path, to: name)
        }
    }
}
