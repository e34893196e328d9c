internal import Synchronization
package import Threading
internal import Time

/// Where log lines go: a bounded buffer in memory, and a thread of its own that writes it to a file descriptor.
///
/// Logging never waits for the reader of the log. When the buffer is full, lines are dropped and counted, and a line in their place says
/// how many. All lines of a sink have one format and appear in the order of the calls.
package final class LogSink: Sendable {
    let format: LogFormat
    let now: @Sendable () -> UInt64
    private let queue: Monitor<LogQueue>
    private let thread: OwnThread
    private let isClosed = Atomic(false)

    /// Starts the thread.
    ///
    /// The descriptor stays the caller's and must stay open until `close()` has returned. The capacity is in bytes; a longer line is
    /// dropped; twice as much memory is used at most. `now` returns Unix milliseconds and is called on the threads that log and on the sink's own.
    /// Throws when the system has no room for another thread.
    package init(
        descriptor: Int32 = 2, capacity: Int = 1 << 20, format: LogFormat,
        now: @escaping @Sendable () -> UInt64 = { SystemClock.unixMilliseconds() }
    ) throws(ThreadError) {
        precondition(capacity > 0, "a log buffer has room for something")
        let queue = Monitor(LogQueue(capacity: capacity))
        let drain = LogDrain(queue: queue, descriptor: descriptor, capacity: capacity, format: format, now: now)
        thread = try OwnThread { drain.run() }
        self.queue = queue
        self.format = format
        self.now = now
    }

    deinit {
        close()
    }

    /// How many lines have been lost since the start: no room, a reader that is gone, or written after `close()`.
    package var droppedLines: UInt64 {
        queue.withLock { $0.droppedLines }
    }

    /// Waits until every line logged before this call has been written, or lost for good.
    /// - Parameter timeoutMilliseconds: how long the reader of the descriptor gets at most; nil is for ever.
    /// - Returns: whether they have been.
    @discardableResult
    package func flush(timeoutMilliseconds: UInt64? = nil) -> Bool {
        let target = queue.withLock { $0.lastBatch }
        return queue.wait(timeoutMilliseconds: timeoutMilliseconds) { $0.settledBatches < target ? nil : true } ?? false
    }

    /// Flushes and ends the thread; lines logged afterwards are dropped and counted. Calling it again does nothing.
    /// - Parameter timeoutMilliseconds: how long the reader of the descriptor gets at most; nil is for ever. When that is over the thread
    ///   is left behind, for a process that is about to end.
    package func close(timeoutMilliseconds: UInt64? = nil) {
        guard !isClosed.exchange(true, ordering: .relaxed) else { return }
        queue.update { $0.close() }
        if flush(timeoutMilliseconds: timeoutMilliseconds) { thread.join() }
    }

    /// Queues bytes that end in their only line feed.
    func write(_ line: [UInt8]) {
        if queue.withLock({ $0.append(line) }) { queue.wakeAll() }
    }
}
