internal import Core

/// The bounds of a store in a file; everything has a default.
package struct StoreSettings: Sendable, Equatable {
    /// How many deliveries may be pending; a comment that would exceed it is refused with `queueFull`.
    package var maxPending = 1_000_000
    /// How many deliveries may be pending for one notifier; what would exceed it ends when it is made.
    package var maxPendingPerNotifier = 250_000
    /// How many devices a person may have; when there is one more, the one that has not been seen for longest leaves.
    package var devicesPerUser = 20
    /// How many bytes of the disk stay free for everything else; below, events are refused with `diskFull`.
    package var minimumFreeBytes: UInt64 = 128 << 20
    /// The largest size of the database file in bytes, without its log; nil is as large as the disk.
    package var maximumFileBytes: UInt64?
    /// How many comments and registrations may wait for the disk; what comes on top is refused with `unavailable`, so that a disk that hangs
    /// costs bounded memory. Neither takes more than three quarters of it.
    package var maximumQueued = 16_384
    /// How many calls are made durable by one commit at most.
    package var maximumBatch = 512
    /// How many pages of 4 KiB the log has before they are moved to the database: what is written often is then moved once.
    package var pagesBeforeCheckpoint = 16_000
    /// How long what is forgotten may stay in the log, in milliseconds; then the log is emptied as soon as nobody reads there.
    package var erasesLogAfterMilliseconds: UInt64 = 5000
    /// How many pages of 4 KiB the log may have; while it has more, because somebody reads the database for long, nothing new is accepted.
    package var maximumLogPages = 131_072
    /// How long the writer may be at the disk, in milliseconds, before the store counts as hanging.
    package var hangMilliseconds: UInt64 = 5000
    /// How often an idle store that cannot accept looks whether it can again, in milliseconds.
    package var probeIntervalMilliseconds: UInt64 = 1000
    /// The largest file, in bytes, that is searched for damage after a run that was not closed; each 100 MB take some tenths of a second.
    package var maximumCheckedBytes: UInt64 = 1 << 30
    /// How long to wait for locks that somebody else's tools hold on the file, in milliseconds: a call may wait twice, for another one's wait and its
    /// own, within the ten seconds that a webhook has.
    package var busyTimeoutMilliseconds: Int32 = 4000

    /// The settings of the service.
    package init() {}

    /// How many deliveries may be pending.
    var bounds: DeliveryBounds { DeliveryBounds(maxPending: maxPending, maxPendingPerNotifier: maxPendingPerNotifier) }
}
