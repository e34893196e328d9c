internal import POSIX
internal import Time

/// The files of an open store, and what has become of them.
struct WatchedFiles {
    let known: StoreFiles
    /// What was missing when it was looked last.
    private(set) var loss: StoreFiles.Loss?
    /// Whether what the open files hold is safe from their end.
    var isSaved = false
    /// When saving is tried again.
    private var savesAt: MonotonicMilliseconds = 0

    /// What a look has found.
    enum Finding {
        case inPlace
        /// They are there again.
        case back
        /// Something is missing, and what was accepted has to be saved now.
        case mustSave(StoreFiles.Loss)
        /// Something is missing, as before.
        case known
    }

    init(_ known: StoreFiles) {
        self.known = known
    }

    /// Looks where the files are.
    mutating func look() -> Finding {
        let found = known.loss
        guard let found else {
            defer { loss = nil }
            return loss == nil ? .inPlace : .back
        }
        let now = SystemClock.monotonicMilliseconds()
        let isNews = found != loss
        loss = found
        guard isNews || (!isSaved && now >= savesAt) else { return .known }
        (isSaved, savesAt) = (false, now + 1000)
        return .mustSave(found)
    }
}
