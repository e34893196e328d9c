internal import Core
internal import Threading

/// What is known of a store in a file without asking the file; the writer changes it, everybody reads it.
struct StoreStatus: Sendable {
    /// What the last commit left pending.
    var counts = PendingCounts()
    /// Why the last write failed, until one succeeds.
    var failure: StoreError?
    /// Whether less of the disk is free than should be.
    var isDiskLow = false
    /// Whether the file is not at its path any more.
    var isMissing = false
    var isClosed = false
    /// How many commits there were.
    var commits = 0

    /// What keeps the store from accepting.
    func refusal(maxPending: Int) -> StoreError.Kind? {
        if isClosed { return .closed }
        if let failure { return failure.kind }
        if isMissing { return .unavailable }
        if isDiskLow { return .diskFull }
        return counts.total >= maxPending ? .queueFull : nil
    }
}
