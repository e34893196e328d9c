internal import Core
internal import SQLite
internal import Threading
internal import Time

/// Handles files of the open store that are no longer at their paths, where the next start would look for them. The open descriptors still
/// refer to them, so no answered data is lost.
extension Writer {
    /// Returns the reason why the store may neither write nor respond now; nil when it may. Checks the files, and saves their data when one
    /// is missing.
    func obstacle() -> StoreError? {
        if let ended = status.withLock({ $0.ended }) { return ended }
        switch files.look() {
        case .inPlace: return nil
        case .back:
            status.withLock { $0.loss = nil }
            // Saving has marked the run as closed. This marks it as open again, and a checkpoint soon copies that to the database.
            touch()
            database.noteForgotten()
        case .mustSave(let loss): save(loss)
        case .known: break
        }
        return status.withLock { $0.ended ?? $0.loss }
    }

    private func save(_ loss: StoreFiles.Loss) {
        let path = files.known.path + loss.file.suffix
        do throws(StoreError) {
            let outcome = try outcome(of: loss, path)
            files.isSaved = true
            // After `notOpen` the store's owner must open it again.
            status.withLock { if outcome.kind == .notOpen { $0.ended = outcome } else { $0.loss = outcome } }
        } catch {
            status.withLock { $0.loss = .notSaved(path, error) }
        }
    }

    /// Saves all data. The returned error contains the remedy for the operator.
    private func outcome(of loss: StoreFiles.Loss, _ path: String) throws(StoreError) -> StoreError {
        if loss.file == .database, lock.isRemoved {
            let copy = StoreFile.rescuePath(for: path, at: SystemClock.unixSeconds())
            try database.copy(of: path, to: copy)
            return .saved(to: copy)
        }
        do throws(SQLiteError) {
            try database.settle()
        } catch {
            throw StoreError(error)
        }
        if loss.file == .database { return .moved(path, isReplaced: loss.isReplaced) }
        return loss.isReplaced ? .replaced(path) : .lost(path)
    }
}
