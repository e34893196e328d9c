import Testing
import Time

@Suite struct MomentTests {
    @Test func `a duration is the difference of two times`() {
        let start: MonotonicMilliseconds = 1000
        var end = start + 250
        #expect(end == 1250)
        #expect(end - start == 250)
        #expect(end - UInt64(250) == start)
        end += 1
        #expect(end == 1251)
        #expect(start < end)
        #expect(!(end < start))
    }

    @Test(arguments: [(0, 0), (0, 1), (5, 3), (3, 5), (.max, 0), (0, .max)] as [(UnixSeconds, UnixSeconds)])
    func `the time since a later time is zero`(now: UnixSeconds, then: UnixSeconds) {
        #expect(now.elapsed(since: then) == now.rawValue - min(now.rawValue, then.rawValue))
        #expect(then.remaining(until: now) == now.elapsed(since: then))
    }

    @Test func `saturating sums stay within the limits`() {
        let moment: UnixMilliseconds = 10
        #expect(moment.saturating(adding: 5) == 15)
        #expect(moment.saturating(adding: .max) == .max)
        #expect(moment.saturating(adding: .max - 10) == .max)
        #expect(moment.saturating(subtracting: 4) == 6)
        #expect(moment.saturating(subtracting: 11) == 0)
    }

    @Test func `other sums trap`() async {
        await #expect(processExitsWith: .failure) { _ = UnixSeconds.max + 1 }
        await #expect(processExitsWith: .failure) { _ = (1 as UnixSeconds) - UInt64(2) }
        await #expect(processExitsWith: .failure) { _ = (1 as UnixSeconds) - (2 as UnixSeconds) }
        await #expect(processExitsWith: .failure) { _ = UnixSeconds.max.milliseconds }
    }

    @Test(arguments: [(0, 0), (999, 0), (1000, 1), (1_773_130_512_999, 1_773_130_512)] as [(UnixMilliseconds, UnixSeconds)])
    func `a millisecond is in one second`(milliseconds: UnixMilliseconds, seconds: UnixSeconds) {
        #expect(milliseconds.seconds == seconds)
        #expect(milliseconds.elapsed(since: seconds.milliseconds) < 1000)
    }

    @Test func `nanoseconds are truncated`() {
        #expect(MonotonicMilliseconds(nanoseconds: 1_999_999) == 1)
    }

    @Test func `another clock may be ahead or behind`() {
        let now: UnixSeconds = 1000
        for seconds in [-1000, -1, 0, 7] as [Int64] {
            #expect(now.advanced(by: seconds).offset(from: now) == seconds)
        }
        #expect(now.advanced(by: -1001) == 0)
    }

    @Test func `is written as its number`() {
        #expect("\(UnixSeconds.max) \(7 as UnixMilliseconds) \(0 as MonotonicMilliseconds)" == "18446744073709551615 7 0")
    }

    @Test func `is no larger than its number`() {
        #expect(MemoryLayout<UnixMilliseconds?>.size == MemoryLayout<UInt64?>.size)
    }
}
