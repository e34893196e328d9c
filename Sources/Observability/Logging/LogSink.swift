import Glibc
internal import Synchronization
package import Threading
package import Time

/// The destination of log lines: a bounded buffer in memory, and a dedicated thread that writes it to a file descriptor.
///
/// Logging never waits for the log's reader. When the buffer is full, lines are dropped and counted, and a line with their number takes
/// their place. All lines of a sink have one format and appear in the order of the calls.
package final class LogSink: Sendable {
    let format: LogFormat
    let now: @Sendable () -> UnixMilliseconds
    private let queue: Monitor<LogQueue>
    private let thread: DedicatedThread
    private let isClosed = Atomic(false)

    /// Starts the thread. Throws when it cannot be created.
    ///
    /// The caller owns the descriptor and must keep it open until `close()` has returned. The capacity is in bytes; a line that is longer
    /// is dropped; at most twice as much memory is used. `now` returns Unix milliseconds and is called on the threads that log and on the
    /// sink's thread.
    package init(
        descriptor: Int32 = 2, capacity: Int = 1 << 20, format: LogFormat,
        now: @escaping @Sendable () -> UnixMilliseconds = { SystemClock.unixMilliseconds() }
    ) throws(ThreadError) {
        precondition(capacity > 0, "a log buffer must have a capacity")
        let queue = Monitor(LogQueue(capacity: capacity))
        let drain = LogDrain(queue: queue, descriptor: descriptor, capacity: capacity, format: format, now: now)
        thread = try DedicatedThread { drain.run() }
        self.queue = queue
        self.format = format
        self.now = now
    }

    deinit {
        close()
    }

    /// The number of lines lost since the start because the buffer was full, the reader was gone, or the sink was closed.
    package var droppedLines: UInt64 {
        queue.withLock { $0.droppedLines }
    }

    /// Waits until every line logged before this call has been written or finally lost.
    /// - Parameter timeoutMilliseconds: the maximum wait for the descriptor's reader; nil waits forever.
    /// - Returns: false on timeout.
    @discardableResult
    package func flush(timeoutMilliseconds: UInt64? = nil) -> Bool {
        let target = queue.withLock { $0.lastBatch }
        return queue.wait(timeoutMilliseconds: timeoutMilliseconds) { $0.settledBatches < target ? nil : true } ?? false
    }

    /// Flushes and ends the thread; later lines are dropped and counted. A second call does nothing.
    /// - Parameter timeoutMilliseconds: the maximum wait for the descriptor's reader; nil waits forever. On timeout the thread is
    ///   abandoned, for a process that is about to end.
    package func close(timeoutMilliseconds: UInt64? = nil) {
        guard !isClosed.exchange(true, ordering: .relaxed) else { return }
        queue.update { $0.close() }
        if flush(timeoutMilliseconds: timeoutMilliseconds) { thread.join() }
    }

    /// Queues bytes with exactly one line feed, at the end.
    func write(_ line: [UInt8]) {
        if queue.withLock({ $0.append(line) }) { queue.wakeAll() }
    }
}

/// The queue of lines to be written, and the count of dropped lines: the logic of `LogSink`, without its threads.
///
/// Once a line did not fit, all further lines are dropped until the buffer is taken. So the lost lines are one gap in the log, and the line
/// with their number is in its place.
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

    /// The number of batches after which everything queued so far is written or lost.
    var lastBatch: UInt64 {
        takenBatches + (hasWork ? 1 : 0)
    }

    /// Queues or drops a line; returns whether an idle writer must be woken.
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

    /// Swaps the queued lines into an empty array and returns how many lines were dropped after them; nil when nothing was queued or
    /// dropped.
    mutating func take(into batch: inout [UInt8]) -> UInt64? {
        guard hasWork else { return nil }
        swap(&buffer, &batch)
        defer { droppedSinceTake = 0 }
        takenBatches += 1
        return droppedSinceTake
    }

    /// Records that the last batch has been written, except for `lostLines` lines.
    mutating func settle(lostLines: UInt64) {
        settledBatches = takenBatches
        droppedLines += lostLines
    }

    /// Rejects further lines; queued ones can still be taken.
    mutating func close() {
        isClosed = true
    }
}

/// The loop of the log's thread: takes queued lines and writes them, until the queue is closed and empty.
struct LogDrain: Sendable {
    let queue: Monitor<LogQueue>
    let descriptor: Int32
    let capacity: Int
    let format: LogFormat
    let now: @Sendable () -> UnixMilliseconds

    func run() {
        var writer = DescriptorWriter(descriptor: descriptor)
        // After the first swap the queue uses this array, and must not grow it under its lock.
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
        // For `wait`, a nil of the closure means to continue waiting. `take` returns nil only once the queue is closed and empty.
        let taken = queue.wait { queue -> UInt64?? in
            queue.hasWork || queue.isClosed ? .some(queue.take(into: &batch)) : nil
        }
        return taken ?? nil
    }

    /// Writes the number of missing lines. If the descriptor accepts nothing, the number is kept for the next batch.
    private func report(_ unreported: inout UInt64, with writer: inout DescriptorWriter) {
        guard unreported > 0 else { return }
        let fields: LogFields = ["count": .integer(Int(clamping: unreported))]
        let line = LogLine(time: now(), level: .warning, message: "log lines dropped", fields: fields)
        if writer.write(line.bytes(format)) == 0 { unreported = 0 }
    }
}

/// Writes whole lines to a file descriptor that may be slow, full, or closed by its reader.
struct DescriptorWriter {
    private let descriptor: Int32
    /// Whether the last write failed within a line, so that the next write must end that line first.
    private var isMidLine = false

    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Writes all lines, and waits for the reader as long as needed; returns the number of lines that were not written completely.
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

    /// Returns the number of bytes that were written before a permanent error.
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

    /// Whether to repeat write(2): after an interruption, or once a non-blocking descriptor is writable.
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
