import TestSupport
import Testing

@testable import HTTP2Server

/// The order of what is delayed.
@Suite struct TimerQueueTests {
    @Test func givesWhatIsDueInOrder() {
        var random = SeededGenerator(seed: 7)
        var queue = TimerQueue<UInt64>()
        var expected: [UInt64] = []
        for _ in 0..<1000 {
            let due = UInt64.random(in: 0..<500, using: &random)
            expected.append(due)
            queue.insert(due, due: due)
        }
        expected.sort()
        #expect(queue.firstDue == expected[0])
        var found: [UInt64] = []
        while let next = queue.next(now: 249) { found.append(next) }
        #expect(found == expected.filter { $0 <= 249 })
        while let next = queue.next(now: .max) { found.append(next) }
        #expect(found == expected)
        #expect(queue.firstDue == nil)
    }
}
