/// Dates and times as the help desk writes them: RFC 3339 section 5.6, strictly.
enum RFC3339 {
    /// The moment in Unix milliseconds; more digits of a fraction are cut off.
    ///
    /// Nil for any other form, for a day or an hour that does not exist, and for a moment before 1970.
    static func unixMilliseconds(_ text: String) -> UInt64? {
        var scanner = DigitScanner(text)
        guard let year = scanner.digits(4), scanner.take("-"), let month = scanner.digits(2), scanner.take("-"),
            let day = scanner.digits(2), scanner.take("T") || scanner.take("t"), let hour = scanner.digits(2), scanner.take(":"),
            let minute = scanner.digits(2), scanner.take(":"), let second = scanner.digits(2), let fraction = scanner.milliseconds(),
            let offset = scanner.offsetMinutes(), scanner.isAtEnd
        else { return nil }
        guard (1...12).contains(month), (1...daysIn(month, of: year)).contains(day), hour < 24, minute < 60, second <= 60 else {
            return nil
        }
        let minutes = (daysSince1970(year: year, month: month, day: day) * 24 + hour) * 60 + minute - offset
        // A leap second is the last of a day in UTC, and counts as the first of the next, as in Unix time.
        guard minutes >= 0, second < 60 || minutes % 1440 == 1439 else { return nil }
        return UInt64((minutes * 60 + second) * 1000 + fraction)
    }

    private static func daysIn(_ month: Int, of year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private static func isLeap(_ year: Int) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    /// Counts from a year that begins on the first of March, so that the leap day is its last; five months from March have 153 days.
    private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
        let year = month > 2 ? year : year - 1
        let monthFromMarch = (month + 9) % 12
        // The year before the year 0 is the only negative one, and far before 1970.
        let leapDays = year / 4 - year / 100 + year / 400
        return year * 365 + leapDays + (153 * monthFromMarch + 2) / 5 + day - 1 - 719_468
    }
}

/// Reads a date's parts one after the other.
private struct DigitScanner {
    private var rest: Substring.UTF8View

    init(_ text: String) {
        rest = text[...].utf8
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest = rest.dropFirst()
        return true
    }

    mutating func digits(_ count: Int) -> Int? {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy(Self.isDigit) else { return nil }
        rest = rest.dropFirst(count)
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    /// An optional fraction of a second.
    mutating func milliseconds() -> Int? {
        guard take(".") else { return 0 }
        let digits = rest.prefix(while: Self.isDigit)
        rest = rest.dropFirst(digits.count)
        guard !digits.isEmpty else { return nil }
        let milliseconds = digits.prefix(3).reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        return digits.count >= 3 ? milliseconds : digits.count == 2 ? milliseconds * 10 : milliseconds * 100
    }

    /// How far the time is ahead of UTC.
    mutating func offsetMinutes() -> Int? {
        if take("Z") || take("z") { return 0 }
        let isAhead = take("+")
        guard isAhead || take("-"), let hours = digits(2), take(":"), let minutes = digits(2), hours < 24, minutes < 60 else { return nil }
        return (hours * 60 + minutes) * (isAhead ? 1 : -1)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
