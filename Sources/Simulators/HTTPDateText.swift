/// Writes the Date header (RFC 9110 section 5.6.7), by which a client can find out that its clock is wrong.
enum HTTPDateText {
    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    private static let secondsOfDay: UInt64 = 86_400

    /// A time in Unix seconds.
    static func text(_ seconds: UInt64) -> String {
        let days = seconds / secondsOfDay
        let (year, month, day) = date(ofDay: days)
        let time = seconds % secondsOfDay
        let clock = [time / 3600, time / 60 % 60, time % 60].map(twoDigits).joined(separator: ":")
        return "\(weekdays[Int(days % 7)]), \(twoDigits(day)) \(months[month]) \(year) \(clock) GMT"
    }

    /// Counts years and months away from the days since 1970; a month is counted from 0.
    private static func date(ofDay days: UInt64) -> (year: UInt64, month: Int, day: UInt64) {
        var (year, rest) = (UInt64(1970), days)
        while rest >= daysOf(year: year) {
            rest -= daysOf(year: year)
            year += 1
        }
        let february: UInt64 = daysOf(year: year) == 366 ? 29 : 28
        for (month, length) in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31].enumerated() {
            if rest < length { return (year, month, rest + 1) }
            rest -= length
        }
        preconditionFailure("a year's days are its months'")
    }

    private static func daysOf(year: UInt64) -> UInt64 {
        year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 366 : 365
    }

    private static func twoDigits(_ number: UInt64) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
