internal import Core
internal import Threading
internal import Time

/// The state of a store that can be read without its file. The writer changes it, and all threads read it.
struct StoreStatus: Sendable {
    var counts = PendingCounts()
    /// The reason why nothing is written until the store is opened again.
    var ended: StoreError?
    /// The reason why the last write failed, until one succeeds.
    var failure: StoreError?
    /// Set while a file of the store is not at its path.
    var loss: StoreError?
    /// Set while less of the disk is free than the settings require.
    var lowDisk: StoreError?
    var longLog: StoreError?
    /// The time since which the writer has been working; nil while it waits for jobs.
    var busySince: MonotonicMilliseconds?
    var isClosed = false
    /// The reason why the run could not be marked as closed.
    var unclosed: StoreError?
    /// The lock on the database, while the writer has it open.
    var lock: DatabaseLock?
    var commits = 0

    /// Returns the reason why the store rejects calls; nil when it accepts them.
    func refusal(_ settings: StoreSettings, now: MonotonicMilliseconds) -> StoreError? {
        if isClosed { return .closed }
        if let error = ended ?? failure ?? loss ?? lowDisk ?? longLog { return error }
        if let busySince, now.elapsed(since: busySince) >= settings.hangMilliseconds { return .hangs(settings.hangMilliseconds) }
        return counts.pending.total >= settings.maxPending ? settings.bounds.commonQueueFull : nil
    }
}
