internal import Core
internal import Time

/// The limits of a store. Every setting has a default.
package struct StoreSettings: Sendable, Equatable {
    /// The maximum number of pending deliveries; a comment whose deliveries would exceed it is rejected with `queueFull`.
    package var maxPending = 1_000_000
    /// The maximum number of pending deliveries of one notifier; further ones end when they are made, those of an app over its share.
    package var maxPendingPerNotifier = 250_000
    /// The maximum number of a person's devices; beyond that, signed-out devices are removed first, then the one with the oldest activity.
    package var devicesPerUser = 20
    /// The reserved bytes of the disk; with less, events are rejected with `diskFull`.
    package var minimumFreeBytes: UInt64 = 128 << 20
    /// The largest size of the database file in bytes, without its log; nil means no limit but the disk.
    package var maximumFileBytes: UInt64?
    /// The maximum number of comments, registrations and calls of bots that wait for the disk. Further ones are rejected with
    /// `unavailable`, so that a disk that hangs costs bounded memory. A part of it is reserved for each of the three (`WriterLane`).
    package var maximumQueued = 16_384
    /// The maximum number of calls that one commit makes durable.
    package var maximumBatch = 512
    /// The timeout of a read for operators, in milliseconds; then it fails with `tooLong`. A read retains the log of SQLite, and the dead
    /// rows of PostgreSQL, until its end.
    package var readMilliseconds: UInt64 = TimeLimit.milliseconds(3000)
    /// Milliseconds after which a search for deliveries ends its page, though the page has room: the next page continues from there.
    package var searchMilliseconds: UInt64 = TimeLimit.milliseconds(100)
    /// The number of events that a search for deliveries reads before others may read.
    package var eventsPerStep: Int64 = 20_000
    /// For how long a revocation signs out devices of an app before it is answered, in milliseconds; the rest follows in the background.
    package var sweepMilliseconds: UInt64 = TimeLimit.milliseconds(2000)
    /// The number of rows that one commit changes for an operator, before others may write.
    package var rowsPerCommit = 500
    /// The number of 4 KiB pages in the write-ahead log that starts a checkpoint. A page that is written often is then moved to the
    /// database once.
    package var pagesBeforeCheckpoint = 16_000
    /// Milliseconds for which deleted data may stay in the log; then the log is truncated as soon as it has no reader.
    package var erasesLogAfterMilliseconds: UInt64 = 5000
    /// Milliseconds for which the proof of an erasure waits until the log is truncated.
    package var emptiesLogWithinMilliseconds: UInt64 = TimeLimit.milliseconds(6000)
    /// The maximum number of 4 KiB pages in the log. While a long read retains more, nothing new is accepted.
    package var maximumLogPages = 131_072
    /// Milliseconds for which the writer may wait for the disk before the store counts as hanging.
    package var hangMilliseconds: UInt64 = TimeLimit.milliseconds(5000)
    /// The interval of checks, in milliseconds, whether an idle store that rejected calls can accept them again.
    package var probeIntervalMilliseconds: UInt64 = 1000
    /// The largest file, in bytes, that is checked for damage after a run that was not closed; the check takes some tenths of a second per
    /// 100 MB.
    package var maximumCheckedBytes: UInt64 = 1 << 30
    /// The interval of heartbeats of a process that shares its store, in milliseconds; far less than the 20 seconds after which it counts
    /// as silent.
    package var heartbeatMilliseconds: UInt64 = 5000
    /// The timeout of counting pending deliveries, in milliseconds. Together with the timeout of a round trip it is less than the time
    /// after which a process counts as silent.
    package var depthCountMilliseconds: UInt64 = TimeLimit.milliseconds(8000)
    /// The timeout of locks that other tools hold on the file, in milliseconds. A call may wait twice, for an earlier call and for itself,
    /// and both must fit into the ten seconds of a webhook.
    package var busyTimeoutMilliseconds = Int32(TimeLimit.milliseconds(4000))

    package init() {}

    var bounds: DeliveryBounds { DeliveryBounds(maxPending: maxPending, maxPendingPerNotifier: maxPendingPerNotifier) }
}
