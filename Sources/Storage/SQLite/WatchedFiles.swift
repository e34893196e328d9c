internal import POSIX
internal import Time

/// The files of an open store, and the missing ones among them.
struct WatchedFiles {
    let known: StoreFiles
    private(set) var loss: StoreFiles.Loss?
    /// Whether the data of the open descriptors was saved since a file went missing.
    var isSaved = false
    var savesAt: MonotonicMilliseconds = 0

    enum Finding {
        case inPlace
        case back
        /// A file is missing, and the accepted data must be saved now.
        case mustSave(StoreFiles.Loss)
        case known
    }

    init(_ known: StoreFiles) {
        self.known = known
    }

    /// Checks whether the files are at their paths.
    mutating func look() -> Finding {
        let found = known.loss
        guard let found else {
            defer { loss = nil }
            return loss == nil ? .inPlace : .back
        }
        let now = SystemClock.monotonicMilliseconds()
        let isNew = found != loss
        loss = found
        guard isNew || (!isSaved && now >= savesAt) else { return .known }
        (isSaved, savesAt) = (false, now + 1000)
        return .mustSave(found)
    }
}
