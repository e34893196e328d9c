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
