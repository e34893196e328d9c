/// RFC 3339 text of a moment in UTC with milliseconds: `2026-03-10T08:15:12.123Z`, always 24 bytes.
enum Timestamp {
    /// 9999-12-31T23:59:59Z, the last second that RFC 3339 can write.
    private static let lastSecond: Int64 = 253_402_300_799
    private static let secondsPerDay = 86_400

    /// Appends the text; a moment before 1970 or after 9999 is written as the nearest second of that range.
    static func append(_ time: WallTime, to output: inout [UInt8]) {
        let seconds = Int(min(max(time.seconds, 0), lastSecond))
        let second = seconds % secondsPerDay
        appendDate(day: seconds / secondsPerDay, to: &output)
        output.append(UInt8(ascii: "T"))
        output.append(decimal: second / 3600, digits: 2)
        output.append(UInt8(ascii: ":"))
        output.append(decimal: second / 60 % 60, digits: 2)
        output.append(UInt8(ascii: ":"))
        output.append(decimal: second % 60, digits: 2)
        output.append(UInt8(ascii: "."))
        output.append(decimal: time.milliseconds, digits: 3)
        output.append(UInt8(ascii: "Z"))
    }

    private static func appendDate(day: Int, to output: inout [UInt8]) {
        let date = civilDate(daysSince1970: day)
        output.append(decimal: date.year, digits: 4)
        output.append(UInt8(ascii: "-"))
        output.append(decimal: date.month, digits: 2)
        output.append(UInt8(ascii: "-"))
        output.append(decimal: date.day, digits: 2)
    }

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
