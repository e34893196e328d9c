internal import Core
internal import Time

/// The limits of a store. Every setting has a default.
package struct StoreSettings: Sendable, Equatable {
    /// How many deliveries may be pending; a comment whose deliveries would exceed it is refused with `queueFull`.
    package var maxPending = 1_000_000
    /// How many deliveries may be pending for one notifier; further ones end when they are made, those of an app over its share.
    package var maxPendingPerNotifier = 250_000
    /// How many devices a person may have; beyond that, signed-out devices are removed first, then the one not seen for longest.
    package var devicesPerUser = 20
    /// How many bytes of the disk stay free; with less, events are refused with `diskFull`.
    package var minimumFreeBytes: UInt64 = 128 << 20
    /// The largest size of the database file in bytes, without its log; nil means no limit but the disk.
    package var maximumFileBytes: UInt64?
    /// How many comments, registrations and calls of bots may wait for the disk. Further ones are refused with `unavailable`, so that a disk
    /// that hangs costs bounded memory. A part of it is kept for each of the three (`WriterLane`).
    package var maximumQueued = 16_384
    /// How many calls one commit makes durable at most.
    package var maximumBatch = 512
    /// How long a read for operators may take, in milliseconds; then it is ended and fails with `tooLong`. A read keeps the log of SQLite, and
    /// the dead rows of PostgreSQL, as long as it goes on.
    package var readMilliseconds: UInt64 = TimeLimit.milliseconds(3000)
    /// After how many milliseconds a search for deliveries ends its page, though the page has room: the next page goes on from there.
    package var searchMilliseconds: UInt64 = TimeLimit.milliseconds(100)
    /// How many events a search for deliveries looks at before others may read.
    package var eventsPerStep: Int64 = 20_000
    /// For how long a revocation signs out devices of an app before it is answered, in milliseconds; the rest follows in the background.
    package var sweepMilliseconds: UInt64 = TimeLimit.milliseconds(2000)
    /// How many rows one commit changes for an operator, before others may write.
    package var rowsPerCommit = 500
    /// How many pages of 4 KiB the write-ahead log has when a checkpoint begins. A page that is written often is then moved to the database
    /// once.
    package var pagesBeforeCheckpoint = 16_000
    /// How long deleted data may stay in the log, in milliseconds; then the log is truncated as soon as nobody reads it.
    package var erasesLogAfterMilliseconds: UInt64 = 5000
    /// How long the proof of an erasure waits until the log is truncated, in milliseconds.
    package var emptiesLogWithinMilliseconds: UInt64 = TimeLimit.milliseconds(6000)
    /// How many pages of 4 KiB the log may have. While a long read keeps it longer, nothing new is accepted.
    package var maximumLogPages = 131_072
    /// How long the writer may wait for the disk, in milliseconds, before the store counts as hanging.
    package var hangMilliseconds: UInt64 = TimeLimit.milliseconds(5000)
    /// How often an idle store that cannot accept checks whether it can again, in milliseconds.
    package var probeIntervalMilliseconds: UInt64 = 1000
    /// The largest file, in bytes, that is checked for damage after a run that was not closed; the check takes some tenths of a second per
    /// 100 MB.
    package var maximumCheckedBytes: UInt64 = 1 << 30
    /// How often a process that shares its store says that it lives, in milliseconds; far less than the 20 seconds after which it counts as
    /// silent.
    package var heartbeatMilliseconds: UInt64 = 5000
    /// How long counting what is pending may take, in milliseconds. With the patience of a round trip it is less than the time after which
    /// a process counts as silent.
    package var depthCountMilliseconds: UInt64 = TimeLimit.milliseconds(8000)
    /// How long to wait for locks that other tools hold on the file, in milliseconds. A call may wait twice, for an earlier call and for
    /// itself, and both must fit into the ten seconds that a webhook has.
    package var busyTimeoutMilliseconds = Int32(TimeLimit.milliseconds(4000))

    package init() {}

    var bounds: DeliveryBounds { DeliveryBounds(maxPending: maxPending, maxPendingPerNotifier: maxPendingPerNotifier) }
}
