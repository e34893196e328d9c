import Core
import TestSupport
import Testing
import Time

@Suite struct QuietPeriodTests {
    @Test func `ends a moment after the last change`() {
        var period = QuietPeriod()
        #expect(period.end == nil)
        let early = period.finish(at: 1000)
        #expect(!early)
        period.noteChange(at: 1000)
        #expect(period.end == 1300)
        period.noteChange(at: 1200)
        #expect(period.end == 1500)
        let results = [1499, 1500, 1501].map { period.finish(at: $0) }
        #expect(results == [false, true, false])
        #expect(period.end == nil)
    }

    @Test func `ends despite continuous changes`() {
        var period = QuietPeriod()
        for now in stride(from: UInt64(0), through: 4900, by: 100) { period.noteChange(at: MonotonicMilliseconds(rawValue: now)) }
        #expect(period.end == 5000)
        let isOver = period.finish(at: 5000)
        #expect(isOver)
    }

    @Test func `is cancelled by another read of the files`() {
        var period = QuietPeriod()
        period.noteChange(at: 1000)
        period.cancel()
        #expect(period.end == nil)
        let isOver = period.finish(at: 9000)
        #expect(!isOver)
    }

    /// For any times of changes, each takes effect within 5 s and never before it was made.
    @Test(arguments: 1...50 as ClosedRange<UInt64>) func `applies every change`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var period = QuietPeriod()
        var unanswered: UInt64?
        for now in UInt64(0)..<30_000 {
            if UInt64.random(in: 0..<150, using: &generator) == 0 {
                period.noteChange(at: MonotonicMilliseconds(rawValue: now))
                unanswered = unanswered ?? now
            }
            // Three million iterations in total, so only failures are recorded.
            if (period.end != nil) != (unanswered != nil) { Issue.record("at \(now): \(period)") }
            if period.finish(at: MonotonicMilliseconds(rawValue: now)) { unanswered = nil }
            if let unanswered, now - unanswered >= QuietPeriod.longestMilliseconds { Issue.record("at \(now): no effect") }
        }
    }
}
