/// Reads dates and times as RFC 3339 section 5.6 says, strictly; `WallTime` writes them.
package enum RFC3339 {
    /// The moment in Unix milliseconds; more digits of a fraction are cut off.
    ///
    /// Nil for any other form, for a day or an hour that does not exist, and for a moment before 1970.
    package static func unixMilliseconds(_ text: String) -> UInt64? {
        let text = text.utf8.span
        var scanner = DigitScanner()
        guard let year = scanner.digits(4, text), scanner.take("-", text), let month = scanner.digits(2, text), scanner.take("-", text),
            let day = scanner.digits(2, text), scanner.take("T", text) || scanner.take("t", text), let hour = scanner.digits(2, text),
            scanner.take(":", text), let minute = scanner.digits(2, text), scanner.take(":", text), let second = scanner.digits(2, text),
            let fraction = scanner.milliseconds(text), let offset = scanner.offsetMinutes(text), scanner.position == text.count
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

/// Reads a date's parts one after the other; the text is passed to each call and is the same in all.
private struct DigitScanner {
    private(set) var position = 0

    mutating func take(_ character: Unicode.Scalar, _ text: Span<UInt8>) -> Bool {
        guard position < text.count, text[position] == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    mutating func digits(_ count: Int, _ text: Span<UInt8>) -> Int? {
        var value = 0
        for _ in 0..<count {
            guard let digit = digit(text) else { return nil }
            value = value * 10 + digit
        }
        return value
    }

    /// An optional fraction of a second.
    mutating func milliseconds(_ text: Span<UInt8>) -> Int? {
        guard take(".", text) else { return 0 }
        guard var milliseconds = digits(1, text).map({ $0 * 100 }) else { return nil }
        var unit = 10
        while let digit = digit(text) {
            milliseconds += digit * unit
            // From the fourth digit on it is nothing.
            unit /= 10
        }
        return milliseconds
    }

    /// How far the time is ahead of UTC.
    mutating func offsetMinutes(_ text: Span<UInt8>) -> Int? {
        if take("Z", text) || take("z", text) { return 0 }
        let isAhead = take("+", text)
        guard isAhead || take("-", text), let hours = digits(2, text), take(":", text), let minutes = digits(2, text), hours < 24,
            minutes < 60
        else { return nil }
        return (hours * 60 + minutes) * (isAhead ? 1 : -1)
    }

    private mutating func digit(_ text: Span<UInt8>) -> Int? {
        guard position < text.count, case let digit = text[position] &- UInt8(ascii: "0"), digit < 10 else { return nil }
        position += 1
        return Int(digit)
    }
}
