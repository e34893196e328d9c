internal import Core
internal import SQLite
internal import Threading
internal import Time

/// What is done when files of the open store are not where the next start looks for them: the open descriptors still lead to them, so nothing that
/// was answered needs to be lost.
extension Writer {
    /// Why nothing may be written or answered now; looks for the files, and saves what they hold when one is missing.
    func obstacle() -> StoreError? {
        if let ended = status.withLock({ $0.ended }) { return ended }
        switch files.look() {
        case .inPlace: return nil
        case .back:
            status.withLock { $0.loss = nil }
            // Saving has marked the run as ended.
            touch()
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
            // Only whoever has opened the store can open it anew.
            status.withLock { if outcome.kind == .notOpen { $0.ended = outcome } else { $0.loss = outcome } }
        } catch {
            status.withLock { $0.loss = .notSaved(path, error) }
        }
    }

    /// Saves everything, and says what an operator does next.
    private func outcome(of loss: StoreFiles.Loss, _ path: String) throws(StoreError) -> StoreError {
        if loss.file == .database, lock.isRemoved {
            let copy = "\(path).rescued-\(SystemClock.unixSeconds())"
            try database.copy(to: copy)
            return .saved(to: copy)
        }
        do throws(SQLiteError) {
            try database.settle()
        } catch {
            throw StoreError(error)
        }
        if loss.file == .database { return .moved }
        return loss.isReplaced ? .replaced(path) : .lost(path)
    }
}
