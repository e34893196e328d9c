/// HTTP dates (RFC 9110 section 5.6.7): three forms to parse, one to write; all in UTC and case-sensitive.
package enum HTTPDate {
    /// Parses a date; 1970 for any earlier one, nil for another form or a time that does not exist. The name of the day must exist but is
    /// not compared with the date. A leap second becomes the second after it.
    /// - Parameter now: a year of two digits is resolved to the latest one at most 50 years after it.
    package static func unixSeconds(of text: [UInt8], now: UnixMilliseconds) -> UnixSeconds? {
        guard let (pattern, rest) = form(of: text), var fields = Fields(of: rest, as: pattern) else { return nil }
        if pattern == rfc850 { fields.completeYear(now: now) }
        return fields.unixSeconds.map { UnixSeconds(rawValue: UInt64(max(0, $0))) }
    }

    /// Returns a text such as `Sun, 06 Nov 1994 08:49:37 GMT`. Valid until the year 9999, because the year has four digits.
    package static func text(_ moment: UnixSeconds) -> String {
        let seconds = Int(moment.rawValue)
        let days = seconds / 86_400
        let date = CivilDate(daysSince1970: days)
        // 1970-01-01 was a Thursday, the fourth name from 0.
        var output = Array(Self.days[(days + 3) % 7].prefix(3))
        output += Array(", ".utf8)
        output.append(decimal: date.day, digits: 2)
        output.append(UInt8(ascii: " "))
        output += months[date.month - 1]
        output.append(UInt8(ascii: " "))
        output.append(decimal: date.year, digits: 4)
        output.append(UInt8(ascii: " "))
        output.append(timeOfDay: seconds)
        output += Array(" GMT".utf8)
        return String(decoding: output, as: UTF8.self)
    }

    // Each lower-case letter is a field of `Fields`; every other byte is literal.
    private static let fixdate = Array(", dd nnn yyyy hh:mm:ss GMT".utf8)
    private static let rfc850 = Array(", dd-nnn-yy hh:mm:ss GMT".utf8)
    private static let asctime = Array(" nnn bd hh:mm:ss yyyy".utf8)
    private static let days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"].map { Array($0.utf8) }
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"].map { Array($0.utf8) }

    /// Selects the pattern by the text's start, and returns it with the text after the name of the day.
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
    private struct Fields {
        private var (day, year, hour, minute, second) = (0, 0, 0, 0, 0)
        private var monthName: [UInt8] = []

        /// nil: the text does not match the whole pattern.
        init?(of text: ArraySlice<UInt8>, as pattern: [UInt8]) {
            guard text.count == pattern.count else { return nil }
            for (placeholder, byte) in zip(pattern, text) {
                guard take(byte, for: placeholder) else { return nil }
            }
        }

        /// Seconds since 1970; nil when the month, the day or the time of day does not exist.
        var unixSeconds: Int? {
            guard let month = HTTPDate.months.firstIndex(of: monthName),
                let date = CivilDate(year: year, month: month + 1, day: day), hour <= 23, minute <= 59, second <= 60
            else { return nil }
            return ((date.daysSince1970 * 24 + hour) * 60 + minute) * 60 + second
        }

        /// Completes a year of two digits: the latest at most 50 years after now (RFC 9110 section 5.6.7).
        mutating func completeYear(now: UnixMilliseconds) {
            let averageYear: UInt64 = 31_556_952_000
            let latest = 1970 + Int(now.rawValue / averageYear) + 50
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
    }
}
