import Testing
import Time

/// The calendar, and its text forms in RFC 3339 and HTTP.
@Suite struct CivilDateTests {
    // The expected seconds are from date(1): date -u -d 2024-02-29 +%s.
    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_399_999, "2000-02-28T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (978_220_800_000, "2000-12-31T00:00:00.000Z"),
            (1_709_164_800_007, "2024-02-29T00:00:00.007Z"),
            (1_709_251_199_999, "2024-02-29T23:59:59.999Z"),
            (1_709_251_200_000, "2024-03-01T00:00:00.000Z"),
            (1_773_130_512_123, "2026-03-10T08:15:12.123Z"),
            (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
            // RFC 3339 has no form for later years.
            (253_402_300_800_000, "9999-12-31T23:59:59.000Z"),
            (.max, "9999-12-31T23:59:59.615Z"),
        ] as [(UnixMilliseconds, String)])
    func moments(_ milliseconds: UnixMilliseconds, _ expected: String) {
        #expect(RFC3339.text(milliseconds) == expected)
    }

    /// Iterates the calendar day by day from the year 0 to 2400, with only the rule of leap years.
    @Test func `every day converts both ways`() {
        let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        var day = -719_528
        for year in 0...2400 {
            let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
            for (month, length) in [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31].enumerated() {
                for dayOfMonth in 1...length {
                    let date = CivilDate(daysSince1970: day)
                    let isRight = date == CivilDate(year: year, month: month + 1, day: dayOfMonth) && date.daysSince1970 == day
                    if !isRight { Issue.record("\(year)-\(month + 1)-\(dayOfMonth)") }
                    day += 1
                }
                #expect(CivilDate(year: year, month: month + 1, day: length + 1) == nil)
                guard year >= 1970 else { continue }
                let (last, digits) = (day - 1, length)
                #expect(
                    HTTPDate.text(UnixSeconds(rawValue: UInt64(last * 86_400 + 3723)))
                        == "\(weekdays[last % 7]), \(digits) \(months[month]) \(year) 01:02:03 GMT")
            }
        }
        for (year, month, day) in [(-1, 1, 1), (2026, 0, 1), (2026, 13, 1), (2026, 1, 0)] {
            #expect(CivilDate(year: year, month: month, day: day) == nil)
        }
    }

    @Test func `HTTP dates survive a round trip`() {
        for number in stride(from: UInt64(0), to: 253_402_300_800, by: 77_777_777) {
            let seconds = UnixSeconds(rawValue: number)
            #expect(HTTPDate.unixSeconds(of: Array(HTTPDate.text(seconds).utf8), now: 0) == seconds)
        }
    }

    @Test func `the system clock is after the date of this test`() {
        #expect(SystemClock.unixSeconds() > 1_700_000_000)
    }
}
