internal import Core
internal import Time

/// The limits of a store. Every setting has a default.
package struct StoreSettings: Sendable, Equatable {
    /// The maximum number of pending deliveries; a comment whose deliveries would exceed it is rejected with `queueFull`.
    package var maxPending = 1_000_000
    /// The maximum number of pending deliveries of one notifier. Further deliveries end when they are created if their app is over its
    /// share.
    package var maxPendingPerNotifier = 250_000
    /// The maximum number of a person's devices; beyond that, signed-out devices are removed first, then the one with the oldest activity.
    package var devicesPerUser = 20
    /// The free space to reserve on the disk, in bytes; with less, events are rejected with `diskFull`.
    package var minimumFreeBytes: UInt64 = 128 << 20
    /// The maximum size of the database file in bytes, without its log; nil means that only the disk limits it.
    package var maximumFileBytes: UInt64?
    /// The maximum number of comments, registrations and calls of bots that wait for the disk. Further ones are rejected with
    /// `unavailable`, so that a hanging disk does not use unlimited memory. Each of the three has a reserved part (`WriterLane`).
    package var maximumQueued = 16_384
    /// The maximum number of calls that one commit makes durable.
    package var maximumBatch = 512
    /// The timeout of a read for operators, in milliseconds; then it fails with `tooLong`. Until its end, a read retains the log of SQLite
    /// and the dead rows of PostgreSQL.
    package var readMilliseconds: UInt64 = TimeLimit.milliseconds(3000)
    /// The milliseconds after which a search for deliveries ends its page even if the page is not full; the next page continues from there.
    package var searchMilliseconds: UInt64 = TimeLimit.milliseconds(100)
    /// The number of events that a search for deliveries reads before others may read.
    package var eventsPerStep: Int64 = 20_000
    /// The time in milliseconds for which a revocation signs out an app's devices before it is answered; the rest follows in the
    /// background.
    package var sweepMilliseconds: UInt64 = TimeLimit.milliseconds(2000)
    /// The number of rows that one commit changes for an operator, before others may write.
    package var rowsPerCommit = 500
    /// The number of 4 KiB pages in the write-ahead log that starts a checkpoint. With a larger number, a page that is written often is
    /// moved to the database less often.
    package var pagesBeforeCheckpoint = 16_000
    /// The milliseconds for which deleted data may remain in the log; then the log is truncated as soon as it has no reader.
    package var erasesLogAfterMilliseconds: UInt64 = 5000
    /// The milliseconds for which the proof of an erasure waits until the log is truncated.
    package var emptiesLogWithinMilliseconds: UInt64 = TimeLimit.milliseconds(6000)
    /// The maximum number of 4 KiB pages in the log. While a long read keeps the log longer than that, the store rejects new events.
    package var maximumLogPages = 131_072
    /// The milliseconds for which the writer may wait for the disk before the store is reported as hanging.
    package var hangMilliseconds: UInt64 = TimeLimit.milliseconds(5000)
    /// The interval of checks, in milliseconds, whether an idle store that rejected calls can accept them again.
    package var probeIntervalMilliseconds: UInt64 = 1000
    /// The largest file, in bytes, that is checked for damage after a run that was not closed; the check takes some tenths of a second per
    /// 100 MB.
    package var maximumCheckedBytes: UInt64 = 1 << 30
    /// The interval of heartbeats of a process that shares its store, in milliseconds; far less than the 20 seconds after which a silent
    /// process is presumed dead.
    package var heartbeatMilliseconds: UInt64 = 5000
    /// The timeout of counting pending deliveries, in milliseconds. Together with the timeout of a round trip it is less than the time
    /// after which a silent process is presumed dead.
    package var depthCountMilliseconds: UInt64 = TimeLimit.milliseconds(8000)
    /// The timeout of locks that other tools hold on the file, in milliseconds. A call may wait twice, for an earlier call and for itself,
    /// and both must fit into the ten seconds of a webhook.
    package var busyTimeoutMilliseconds = Int32(TimeLimit.milliseconds(4000))

    package init() {}

    var bounds: DeliveryBounds { DeliveryBounds(maxPending: maxPending, maxPendingPerNotifier: maxPendingPerNotifier) }
}
