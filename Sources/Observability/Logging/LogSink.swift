import Glibc
internal import Synchronization
package import Threading
package import Time

/// Where log lines go: a bounded buffer in memory, and a thread of its own that writes it to a file descriptor.
///
/// Logging never waits for the reader of the log. When the buffer is full, lines are dropped and counted, and a line in their place says
/// how many. All lines of a sink have one format and appear in the order of the calls.
package final class LogSink: Sendable {
    let format: LogFormat
    let now: @Sendable () -> UnixMilliseconds
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
        now: @escaping @Sendable () -> UnixMilliseconds = { SystemClock.unixMilliseconds() }
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

/// What waits to be written, and what did not fit: the decisions of `LogSink`, without its threads.
///
/// Once a line did not fit, all that follow are dropped until the buffer is taken. So the lines lost are one gap in the log,
/// and the notice that counts them stands exactly in it.
struct LogQueue: Sendable {
    private let capacity: Int
    private var buffer: [UInt8] = []
    private var droppedSinceTake: UInt64 = 0
    private var takenBatches: UInt64 = 0
    private(set) var settledBatches: UInt64 = 0
    private(set) var droppedLines: UInt64 = 0
    private(set) var isClosed = false

    init(capacity: Int) {
        self.capacity = capacity
        buffer.reserveCapacity(capacity)
    }

    var hasWork: Bool {
        !buffer.isEmpty || droppedSinceTake > 0
    }

    /// The number of batches after which everything queued so far has been dealt with.
    var lastBatch: UInt64 {
        takenBatches + (hasWork ? 1 : 0)
    }

    /// Queues or drops a line; returns whether this gave an idle writer something to do.
    mutating func append(_ line: [UInt8]) -> Bool {
        let wasIdle = !hasWork
        if isClosed {
            droppedLines += 1
            return false
        }
        if droppedSinceTake == 0 && line.count <= capacity - buffer.count {
            buffer += line
        } else {
            droppedSinceTake += 1
            droppedLines += 1
        }
        return wasIdle
    }

    /// Swaps the queued lines into an empty array and returns how many lines were dropped after them, or nil when closed and empty.
    mutating func take(into batch: inout [UInt8]) -> UInt64? {
        guard hasWork else { return nil }
        swap(&buffer, &batch)
        defer { droppedSinceTake = 0 }
        takenBatches += 1
        return droppedSinceTake
    }

    /// Notes that the batch last taken has left the process, but for the lines that could not be written.
    mutating func settle(lostLines: UInt64) {
        settledBatches = takenBatches
        droppedLines += lostLines
    }

    /// Refuses lines from now on; what is queued can still be taken.
    mutating func close() {
        isClosed = true
    }
}

/// The work of the log's thread: takes what is queued and writes it, until the queue is closed and empty.
struct LogDrain: Sendable {
    let queue: Monitor<LogQueue>
    let descriptor: Int32
    let capacity: Int
    let format: LogFormat
    let now: @Sendable () -> UnixMilliseconds

    func run() {
        var writer = DescriptorWriter(descriptor: descriptor)
        // The queue continues in this array after the first swap, and must not grow one under its lock.
        var batch: [UInt8] = []
        batch.reserveCapacity(capacity)
        var unreported: UInt64 = 0
        while let dropped = nextBatch(into: &batch) {
            report(&unreported, with: &writer)
            let lost = writer.write(batch)
            unreported += lost + dropped
            report(&unreported, with: &writer)
            queue.update { $0.settle(lostLines: lost) }
        }
    }

    private func nextBatch(into batch: inout [UInt8]) -> UInt64? {
        batch.removeAll(keepingCapacity: true)
        // Nil inside: there is nothing yet. Nil outside: there will be nothing more.
        let taken = queue.wait { queue -> UInt64?? in
            queue.hasWork || queue.isClosed ? .some(queue.take(into: &batch)) : nil
        }
        return taken ?? nil
    }

    /// Says how many lines are missing at this place. While the descriptor takes nothing the number is kept for the next batch.
    private func report(_ unreported: inout UInt64, with writer: inout DescriptorWriter) {
        guard unreported > 0 else { return }
        let fields: LogFields = ["count": .integer(Int(clamping: unreported))]
        let line = LogLine(time: now(), level: .warning, message: "log lines dropped", fields: fields)
        if writer.write(line.bytes(format)) == 0 { unreported = 0 }
    }
}

/// Writes whole lines to a file descriptor that may be slow, full, or closed at the other end.
struct DescriptorWriter {
    private let descriptor: Int32
    /// Whether the last write failed within a line, which the next one must first end.
    private var isMidLine = false

    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Writes all lines, waiting as long as the reader needs; returns how many could not be written whole.
    mutating func write(_ lines: [UInt8]) -> UInt64 {
        if isMidLine && writePrefix(of: [UInt8(ascii: "\n")]) == 0 { return countLines(lines[...]) }
        isMidLine = false
        let written = writePrefix(of: lines)
        isMidLine = written > 0 && lines[written - 1] != UInt8(ascii: "\n")
        return countLines(lines[written...])
    }

    private func countLines(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(into: 0) { count, byte in if byte == UInt8(ascii: "\n") { count += 1 } }
    }

    /// Returns how many bytes were written before an error that does not pass by waiting.
    private func writePrefix(of bytes: [UInt8]) -> Int {
        unsafe bytes.withUnsafeBytes { buffer in
            var written = 0
            while written < buffer.count {
                let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[written...])
                let result = unsafe Glibc.write(descriptor, rest.baseAddress, rest.count)
                if result > 0 {
                    written += result
                } else if result == 0 || !waitAfterError() {
                    break
                }
            }
            return written
        }
    }

    /// Whether write(2) is to be tried again: after an interruption, or once a descriptor in non-blocking mode has room.
    private func waitAfterError() -> Bool {
        switch errno {
        case EINTR:
            return true
        case EAGAIN:
            var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            return unsafe poll(&request, 1, -1) > 0 || errno == EINTR
        default:
            return false
        }
    }
}
