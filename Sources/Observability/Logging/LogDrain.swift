internal import Threading
internal import Time

/// The work of the log's thread: takes what is queued and writes it, until the queue is closed and empty.
struct LogDrain: Sendable {
    let queue: Monitor<LogQueue>
    let descriptor: Int32
    let capacity: Int
    let format: LogFormat
    let now: @Sendable () -> UInt64

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
