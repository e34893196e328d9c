internal import Glibc

/// A moment in UTC with the precision of a log line.
package struct WallTime: Sendable {
    /// Seconds since 1970-01-01T00:00:00Z.
    package let seconds: Int64
    /// The part of a second, 0 to 999.
    package let milliseconds: Int

    /// A moment; traps when the milliseconds are not between 0 and 999.
    package init(seconds: Int64, milliseconds: Int = 0) {
        precondition((0..<1000).contains(milliseconds), "milliseconds are between 0 and 999")
        self.seconds = seconds
        self.milliseconds = milliseconds
    }

    /// A moment in Unix milliseconds.
    package init(unixMilliseconds: UInt64) {
        self.init(seconds: Int64(unixMilliseconds / 1000), milliseconds: Int(unixMilliseconds % 1000))
    }

    /// RFC 3339 text in UTC with milliseconds: `2026-03-10T08:15:12.123Z`.
    package var text: String {
        var output: [UInt8] = []
        append(to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    /// Appends the text, always 24 bytes; a moment before 1970 or after 9999 is written as the nearest second of that range.
    package func append(to output: inout [UInt8]) {
        let seconds = Int(min(max(seconds, 0), Self.lastSecond))
        let second = seconds % Self.secondsPerDay
        let date = Self.civilDate(daysSince1970: seconds / Self.secondsPerDay)
        output.append(decimal: date.year, digits: 4)
        output.append(UInt8(ascii: "-"))
        output.append(decimal: date.month, digits: 2)
        output.append(UInt8(ascii: "-"))
        output.append(decimal: date.day, digits: 2)
        output.append(UInt8(ascii: "T"))
        output.append(decimal: second / 3600, digits: 2)
        output.append(UInt8(ascii: ":"))
        output.append(decimal: second / 60 % 60, digits: 2)
        output.append(UInt8(ascii: ":"))
        output.append(decimal: second % 60, digits: 2)
        output.append(UInt8(ascii: "."))
        output.append(decimal: milliseconds, digits: 3)
        output.append(UInt8(ascii: "Z"))
    }

    /// The system's wall clock, clock_gettime(2) with CLOCK_REALTIME; it jumps when the system's time is set.
    package static func now() -> WallTime {
        var time = timespec()
        // It fails only for a clock that does not exist or an address that is not mapped.
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return WallTime(seconds: Int64(time.tv_sec), milliseconds: time.tv_nsec / 1_000_000)
    }

    /// 9999-12-31T23:59:59Z, the last second that RFC 3339 can write.
    private static let lastSecond: Int64 = 253_402_300_799
    private static let secondsPerDay = 86_400

    /// Splits days into Gregorian cycles of 400, 100, 4 and 1 years.
    ///
    /// Years begin on the first of March here, so that the leap day is the last of its year and of its cycle. The last century of a cycle
    /// and the last year of four are a day longer than the division assumes, hence the two limits of 3.
    private static func civilDate(daysSince1970: Int) -> (year: Int, month: Int, day: Int) {
        let daysSinceYearZero = daysSince1970 + 719_468
        let dayOfCycle = daysSinceYearZero % 146_097
        let century = min(dayOfCycle / 36_524, 3)
        let dayOfCentury = dayOfCycle - century * 36_524
        let dayOfFourYears = dayOfCentury % 1_461
        let yearOfFour = min(dayOfFourYears / 365, 3)
        let dayOfYear = dayOfFourYears - yearOfFour * 365
        // From March on, five months have 153 days, in the pattern 31 30 31 30 31.
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let year = daysSinceYearZero / 146_097 * 400 + century * 100 + dayOfCentury / 1_461 * 4 + yearOfFour
        return monthFromMarch < 10 ? (year, monthFromMarch + 3, day) : (year + 1, monthFromMarch - 9, day)
    }
}

extension [UInt8] {
    /// Appends a number with leading zeros; a value with more than `digits` digits loses its highest ones.
    mutating func append(decimal value: Int, digits: Int) {
        var divisor = 1
        for _ in 1..<digits { divisor *= 10 }
        while divisor > 0 {
            append(UInt8(ascii: "0") + UInt8(value / divisor % 10))
            divisor /= 10
        }
    }
}
