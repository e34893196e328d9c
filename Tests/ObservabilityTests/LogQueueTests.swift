import Testing

@testable import Observability

struct LogQueueTests {
    let line = Array("123456789\n".utf8)

    func expectWakes(_ expected: Bool, queue: inout LogQueue, line: [UInt8]) {
        let wakes = queue.append(line)
        #expect(wakes == expected)
    }

    func expectTake(_ expected: UInt64?, queue: inout LogQueue, batch: inout [UInt8]) {
        let dropped = queue.take(into: &batch)
        #expect(dropped == expected)
    }

    @Test func `lines keep their order`() {
        var queue = LogQueue(capacity: 100)
        expectWakes(true, queue: &queue, line: [1])
        expectWakes(false, queue: &queue, line: [2])
        var batch: [UInt8] = []
        expectTake(0, queue: &queue, batch: &batch)
        #expect(batch == [1, 2])
        #expect(!queue.hasWork)
    }

    @Test func `a line that exactly fits is accepted`() {
        var queue = LogQueue(capacity: 20)
        for _ in 0..<2 { _ = queue.append(line) }
        #expect(queue.droppedLines == 0)
        _ = queue.append([0])
        #expect(queue.droppedLines == 1)
    }

    @Test func `after a drop no line is accepted until the buffer is taken`() {
        var queue = LogQueue(capacity: 15)
        for bytes in [line, line, [1]] { _ = queue.append(bytes) }
        var batch: [UInt8] = []
        expectTake(2, queue: &queue, batch: &batch)
        #expect(batch == line)
        _ = queue.append([1])
        batch.removeAll()
        expectTake(0, queue: &queue, batch: &batch)
        #expect(batch == [1])
        #expect(queue.droppedLines == 2)
    }

    @Test func `a line longer than the capacity wakes the writer to report it`() {
        var queue = LogQueue(capacity: 5)
        expectWakes(true, queue: &queue, line: line)
        var batch: [UInt8] = []
        expectTake(1, queue: &queue, batch: &batch)
        #expect(batch.isEmpty)
    }

    @Test func `flush waits for queued lines and running writes`() {
        var queue = LogQueue(capacity: 100)
        #expect(queue.lastBatch == queue.settledBatches)
        _ = queue.append(line)
        let target = queue.lastBatch
        #expect(queue.settledBatches < target)
        var batch: [UInt8] = []
        _ = queue.take(into: &batch)
        #expect(queue.lastBatch == target)
        #expect(queue.settledBatches < target)
        queue.settle(lostLines: 3)
        #expect(queue.settledBatches == target)
        #expect(queue.droppedLines == 3)
    }

    @Test func `a closed queue returns its lines and accepts none`() {
        var queue = LogQueue(capacity: 100)
        _ = queue.append(line)
        queue.close()
        expectWakes(false, queue: &queue, line: line)
        #expect(queue.droppedLines == 1)
        var batch: [UInt8] = []
        expectTake(0, queue: &queue, batch: &batch)
        #expect(batch == line)
        expectTake(nil, queue: &queue, batch: &batch)
    }
}
