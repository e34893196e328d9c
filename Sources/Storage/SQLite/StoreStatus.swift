internal import Core
internal import Threading
internal import Time

/// What is known of a store in a file without asking the file; the writer changes it, everybody reads it.
struct StoreStatus: Sendable {
    /// What the last commit left pending.
    var counts = PendingCounts()
    /// Why nothing is written any more until the file is opened anew.
    var ended: StoreError?
    /// Why the last write failed, until one succeeds.
    var failure: StoreError?
    /// Which of the files is not at its path any more.
    var loss: StoreError?
    /// That less of the disk is free than should be.
    var lowDisk: StoreError?
    /// That the log has grown too long.
    var longLog: StoreError?
    /// Since when the writer has been at the disk; nil while it waits for work.
    var busySince: MonotonicMilliseconds?
    var isClosed = false
    /// How many commits there were.
    var commits = 0

    /// What keeps the store from accepting.
    func refusal(_ settings: StoreSettings, now: MonotonicMilliseconds) -> StoreError? {
        if isClosed { return .closed }
        if let error = ended ?? failure ?? loss ?? lowDisk ?? longLog { return error }
        if let busySince, now.elapsed(since: busySince) >= settings.hangMilliseconds { return .hangs(settings.hangMilliseconds) }
        return counts.total >= settings.maxPending ? .queueFull(settings.maxPending) : nil
    }
}
