import Testing

@testable import Time

struct WallTimeTests {
    func text(_ seconds: Int64, _ milliseconds: Int = 0) -> String {
        var output: [UInt8] = []
        WallTime(seconds: seconds, milliseconds: milliseconds).append(to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    // Expected seconds are from date(1): date -u -d 2024-02-29 +%s.
    @Test(arguments: [
        (0, 0, "1970-01-01T00:00:00.000Z"),
        (951_782_399, 999, "2000-02-28T23:59:59.999Z"),
        (951_782_400, 0, "2000-02-29T00:00:00.000Z"),
        (978_220_800, 0, "2000-12-31T00:00:00.000Z"),
        (1_709_164_800, 7, "2024-02-29T00:00:00.007Z"),
        (1_709_251_199, 999, "2024-02-29T23:59:59.999Z"),
        (1_709_251_200, 0, "2024-03-01T00:00:00.000Z"),
        (1_773_130_512, 123, "2026-03-10T08:15:12.123Z"),
        (4_107_542_399, 999, "2100-02-28T23:59:59.999Z"),
        (4_107_542_400, 0, "2100-03-01T00:00:00.000Z"),
        (253_402_300_799, 999, "9999-12-31T23:59:59.999Z"),
    ])
    func moments(_ seconds: Int64, _ milliseconds: Int, _ expected: String) {
        #expect(text(seconds, milliseconds) == expected)
    }

    @Test(arguments: [(Int64.min, "1970-01-01T00:00:00.000Z"), (-1, "1970-01-01T00:00:00.000Z"), (.max, "9999-12-31T23:59:59.000Z")])
    func momentsThatCannotBeWritten(_ seconds: Int64, _ expected: String) {
        #expect(text(seconds) == expected)
    }

    /// Walks the calendar day by day, by the rule of leap years alone, and compares every date from 1970 to 2400.
    @Test func everyDayOfFourCenturies() {
        var day: Int64 = 0
        for year in 1970...2400 {
            let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
            for (month, length) in [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31].enumerated() {
                for dayOfMonth in 1...length {
                    var expected: [UInt8] = []
                    for (number, digits) in [(year, 4), (month + 1, 2), (dayOfMonth, 2)] {
                        if !expected.isEmpty { expected.append(UInt8(ascii: "-")) }
                        expected.append(decimal: number, digits: digits)
                    }
                    var output: [UInt8] = []
                    WallTime(seconds: day * 86_400).append(to: &output)
                    if !output.starts(with: expected) { Issue.record("\(year)-\(month + 1)-\(dayOfMonth)") }
                    day += 1
                }
            }
        }
    }

    @Test func theSystemClockIsAfterThisTestWasWritten() {
        #expect(WallTime.now().seconds > 1_700_000_000)
    }
}
