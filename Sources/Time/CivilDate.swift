/// A day of the Gregorian calendar, from the year 0 on.
package struct CivilDate: Equatable, Sendable {
    package let year: Int
    package let month: Int
    package let day: Int

    private static let daysPerCycle = 146_097
    /// From March 1 of the year -400 to 1970-01-01. Adding a cycle of 400 years makes every division below positive.
    private static let daysBefore1970 = 719_468 + daysPerCycle

    /// nil: no such day.
    package init?(year: Int, month: Int, day: Int) {
        guard year >= 0, (1...12).contains(month), (1...Self.days(in: month, of: year)).contains(day) else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
    }

    /// Returns the day that begins this many days after 1970-01-01; negative numbers down to the first day of the year 0.
    ///
    /// Divides days into Gregorian cycles of 400, 100, 4 and 1 years. Years begin on March 1 here, so that the leap day is the last of its
    /// year and of its cycle. The last century of a cycle and the last year of four are a day longer than the division assumes, hence the
    /// two limits of 3.
    package init(daysSince1970: Int) {
        let days = daysSince1970 + Self.daysBefore1970
        let dayOfCycle = days % Self.daysPerCycle
        let century = min(dayOfCycle / 36_524, 3)
        let dayOfCentury = dayOfCycle - century * 36_524
        let dayOfFourYears = dayOfCentury % 1461
        let yearOfFour = min(dayOfFourYears / 365, 3)
        let dayOfYear = dayOfFourYears - yearOfFour * 365
        // From March on, five months have 153 days, in the pattern 31 30 31 30 31.
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let year = (days / Self.daysPerCycle - 1) * 400 + century * 100 + dayOfCentury / 1461 * 4 + yearOfFour
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        (self.year, month) = monthFromMarch < 10 ? (year, monthFromMarch + 3) : (year + 1, monthFromMarch - 9)
    }

    /// Negative before 1970-01-01.
    package var daysSince1970: Int {
        let year = (month > 2 ? year : year - 1) + 400
        let monthFromMarch = (month + 9) % 12
        return year * 365 + year / 4 - year / 100 + year / 400 + (153 * monthFromMarch + 2) / 5 + day - 1 - Self.daysBefore1970
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

extension [UInt8] {
    /// Appends a number with leading zeros; drops the highest digits of a larger number.
    mutating func append(decimal value: Int, digits: Int) {
        var divisor = 1
        for _ in 1..<digits { divisor *= 10 }
        while divisor > 0 {
            append(UInt8(ascii: "0") + UInt8(value / divisor % 10))
            divisor /= 10
        }
    }

    /// Appends the time of day in UTC, `hh:mm:ss`, of Unix seconds.
    mutating func append(timeOfDay seconds: Int) {
        append(decimal: seconds / 3600 % 24, digits: 2)
        append(UInt8(ascii: ":"))
        append(decimal: seconds / 60 % 60, digits: 2)
        append(UInt8(ascii: ":"))
        append(decimal: seconds % 60, digits: 2)
    }
}
