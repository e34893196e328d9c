import Core
import Testing

@Suite final class MismatchAlarmTests {
    private var alarm = MismatchAlarm()

    private func refusals(_ count: Int, from start: UInt64, every step: UInt64 = 0) -> [Bool] {
        (0..<count).map { alarm.refused(nowMilliseconds: start + UInt64($0) * step) }
    }

    @Test func manyAtOnceRaiseIt() {
        #expect(refusals(20, from: 5) == Array(repeating: false, count: 19) + [true])
        #expect(alarm.isRaised)
    }

    @Test func theWindowSlides() {
        #expect(!refusals(200, from: 0, every: 3158).contains(true))
        #expect(refusals(21, from: 10_000_000, every: 3157).contains(true))
    }

    @Test func whatIsDeliveredEndsThem() {
        #expect(!refusals(19, from: 0).contains(true))
        alarm.delivered()
        #expect(!refusals(19, from: 0).contains(true))
        #expect(!alarm.isRaised)
    }

    @Test func onlyADeliveryTakesItBack() {
        #expect(refusals(20, from: 0).last == true)
        #expect(refusals(1, from: 1 << 40) == [true])
        alarm.delivered()
        #expect(refusals(1, from: 1 << 40) == [false])
    }

    /// Late answers, and a clock set back or at its limits, neither trap nor hide a burst.
    @Test func anyClockIsRight() {
        #expect(!refusals(10, from: .max).contains(true))
        #expect(refusals(10, from: 0).last == true)
    }

    @Test func theWindowsEndIsOutside() {
        #expect(!refusals(19, from: 0).contains(true))
        #expect(refusals(1, from: 60_000) == [false])
        #expect(refusals(18, from: 60_000).last == false)
        #expect(refusals(1, from: 60_001) == [true])
    }
}
