internal import Core
package import Observability
internal import Synchronization
internal import Threading

/// Ended spans that wait for their export. The queue is bounded, so a slow or unreachable collector costs no more than this memory.
///
/// Threads that serve requests add spans. They share one atomic count, and each span goes to the list that its random id selects, so that
/// two threads rarely need the same lock, which is held for one append. Any thread may call it.
package final class SpanQueue: Sendable {
    /// The maximum number of waiting spans; further ones are dropped.
    package static let capacity = 2048
    /// The maximum number of spans in one request.
    package static let batchSize = 512
    private static let listCount = 8

    private let lists: [Monitor<[TraceSpan]>]
    private let waiting = Atomic<Int>(0)
    private let dropped: Counter

    /// Creates an empty queue.
    /// - Parameter dropped: counts the spans that find no room, or are discarded.
    package init(countingDropped dropped: Counter) {
        self.dropped = dropped
        lists = (0..<Self.listCount).map { _ in Monitor([]) }
    }

    package var count: Int { waiting.load(ordering: .relaxed) }

    /// Adds a span, or drops it when the queue is full.
    /// - Returns: whether a full batch waits, so that it can be exported at once.
    package func add(_ span: TraceSpan) -> Bool {
        let count = waiting.wrappingAdd(1, ordering: .relaxed).newValue
        guard count <= Self.capacity else {
            waiting.wrappingSubtract(1, ordering: .relaxed)
            dropped.increment()
            return false
        }
        lists[Int(span.context.spanID % UInt64(Self.listCount))].withLock { $0.append(span) }
        return count == Self.batchSize
    }

    /// Removes and returns up to one batch of spans.
    package func takeBatch() -> [TraceSpan] {
        var batch: [TraceSpan] = []
        for list in lists where batch.count < Self.batchSize {
            let room = Self.batchSize - batch.count
            batch += list.withLock { spans in
                let taken = Array(spans.prefix(room))
                spans.removeFirst(taken.count)
                return taken
            }
        }
        waiting.wrappingSubtract(batch.count, ordering: .relaxed)
        return batch
    }

    package func discard() {
        while case let batch = takeBatch(), !batch.isEmpty { dropped.increment(by: UInt64(batch.count)) }
    }
}
