/// Reads the three forms of a date in HTTP, RFC 9110 section 5.6.7; all are in UTC and tell upper from lower case.
enum HTTPDate {
    /// A date's text in seconds since 1970, negative before; nil when it has none of the forms or names a time that there isn't.
    ///
    /// A year of two digits is the latest of its kind that is at most 50 years after now (Unix milliseconds). The name of the day must be
    /// one, but isn't compared with the date. A leap second counts as the second after it.
    static func unixSeconds(of text: [UInt8], nowMilliseconds: UInt64) -> Int? {
        guard let (pattern, rest) = form(of: text), var fields = Fields(of: rest, as: pattern) else { return nil }
        if pattern == rfc850 { fields.completeYear(nowMilliseconds: nowMilliseconds) }
        return fields.unixSeconds
    }

    // Each lower-case letter takes what `Fields` says for it; every other byte stands for itself.
    private static let fixdate = Array(", dd nnn yyyy hh:mm:ss GMT".utf8)
    private static let rfc850 = Array(", dd-nnn-yy hh:mm:ss GMT".utf8)
    private static let asctime = Array(" nnn bd hh:mm:ss yyyy".utf8)
    private static let days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"].map { Array($0.utf8) }

    /// The pattern that the text's beginning and length call for, and the text after the name of the day.
    private static func form(of text: [UInt8]) -> (pattern: [UInt8], rest: ArraySlice<UInt8>)? {
        for day in days where text.starts(with: day.prefix(3)) {
            let isLong = text.starts(with: day)
            let rest = text.dropFirst(isLong ? day.count : 3)
            if isLong { return (rfc850, rest) }
            return (rest.first == UInt8(ascii: ",") ? fixdate : asctime, rest)
        }
        return nil
    }
}

extension HTTPDate {
    /// The parts of a date, as they stand in the text.
    private struct Fields {
        private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"].map {
            Array($0.utf8)
        }

        private var (day, year, hour, minute, second) = (0, 0, 0, 0, 0)
        private var monthName: [UInt8] = []

        /// Reads all of `text`; nil when it is not as the pattern says.
        init?(of text: ArraySlice<UInt8>, as pattern: [UInt8]) {
            guard text.count == pattern.count else { return nil }
            for (placeholder, byte) in zip(pattern, text) {
                guard take(byte, for: placeholder) else { return nil }
            }
        }

        /// Seconds since 1970; nil when the month, the day or the time of day is none.
        var unixSeconds: Int? {
            guard let month = Self.months.firstIndex(of: monthName), hour <= 23, minute <= 59, second <= 60 else { return nil }
            let monthDays = [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
            guard (1...monthDays[month]).contains(day) else { return nil }
            let days = Self.days(beforeYear: year) - Self.days(beforeYear: 1970) + monthDays[..<month].reduce(0, +) + day - 1
            return ((days * 24 + hour) * 60 + minute) * 60 + second
        }

        /// Makes a year of two digits whole: the latest at most 50 years after now, RFC 9110 section 5.6.7.
        mutating func completeYear(nowMilliseconds: UInt64) {
            let averageYear: UInt64 = 31_556_952_000
            let latest = 1970 + Int(nowMilliseconds / averageYear) + 50
            year = latest - (latest - year) % 100
        }

        private mutating func take(_ byte: UInt8, for placeholder: UInt8) -> Bool {
            switch placeholder {
            case UInt8(ascii: "n"): monthName.append(byte)
            case UInt8(ascii: "b"): return byte == UInt8(ascii: " ") || Self.append(byte, to: &day)
            case UInt8(ascii: "d"): return Self.append(byte, to: &day)
            case UInt8(ascii: "y"): return Self.append(byte, to: &year)
            case UInt8(ascii: "h"): return Self.append(byte, to: &hour)
            case UInt8(ascii: "m"): return Self.append(byte, to: &minute)
            case UInt8(ascii: "s"): return Self.append(byte, to: &second)
            default: return byte == placeholder
            }
            return true
        }

        private static func append(_ byte: UInt8, to number: inout Int) -> Bool {
            guard case UInt8(ascii: "0")...UInt8(ascii: "9") = byte else { return false }
            number = number * 10 + Int(byte - UInt8(ascii: "0"))
            return true
        }

        private var isLeapYear: Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

        /// Days of the Gregorian calendar before a year, counted from year 1; the year 0 has -366.
        private static func days(beforeYear year: Int) -> Int {
            guard year > 0 else { return -366 }
            let whole = year - 1
            return whole * 365 + whole / 4 - whole / 100 + whole / 400
        }
    }
}
