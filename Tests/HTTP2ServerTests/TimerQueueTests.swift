import TestSupport
import Testing
import Time

@testable import HTTP2Server

/// The order of delayed actions.
@Suite struct TimerQueueTests {
    @Test func `returns due actions in order`() {
        var random = SeededGenerator(seed: 7)
        var queue = TimerQueue<MonotonicMilliseconds>()
        var expected: [MonotonicMilliseconds] = []
        for _ in 0..<1000 {
            let due = MonotonicMilliseconds(rawValue: .random(in: 0..<500, using: &random))
            expected.append(due)
            queue.insert(due, due: due)
        }
        expected.sort()
        #expect(queue.firstDue == expected[0])
        var found: [MonotonicMilliseconds] = []
        while let next = queue.next(now: 249) { found.append(next) }
        #expect(found == expected.filter { $0 <= 249 })
        while let next = queue.next(now: .max) { found.append(next) }
        #expect(found == expected)
        #expect(queue.firstDue == nil)
    }
}
