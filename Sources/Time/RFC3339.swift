/// Dates and times of RFC 3339 section 5.6.
package enum RFC3339 {
    /// 9999-12-31T23:59:59Z in seconds since 1970, the last second with a text.
    package static let latest: UInt64 = 253_402_300_799

    /// Parses a text strictly and truncates the fraction to milliseconds. nil for another form, for a day or an hour that does not exist,
    /// and for a moment before 1970.
    package static func unixMilliseconds(_ text: String) -> UnixMilliseconds? {
        let text = text.utf8.span
        var scanner = DigitScanner()
        guard let year = scanner.digits(4, text), scanner.take("-", text), let month = scanner.digits(2, text), scanner.take("-", text),
            let day = scanner.digits(2, text), scanner.take("T", text) || scanner.take("t", text), let hour = scanner.digits(2, text),
            scanner.take(":", text), let minute = scanner.digits(2, text), scanner.take(":", text), let second = scanner.digits(2, text),
            let fraction = scanner.milliseconds(text), let offset = scanner.offsetMinutes(text), scanner.position == text.count
        else { return nil }
        guard let date = CivilDate(year: year, month: month, day: day), hour < 24, minute < 60, second <= 60 else { return nil }
        let minutes = (date.daysSince1970 * 24 + hour) * 60 + minute - offset
        // A leap second is the last second of a UTC day, and becomes the first of the next day, as in Unix time.
        guard minutes >= 0, second < 60 || minutes % 1440 == 1439 else { return nil }
        return UnixMilliseconds(rawValue: UInt64((minutes * 60 + second) * 1000 + fraction))
    }

    /// Returns a text in UTC with milliseconds: `2026-03-10T08:15:12.123Z`, always 24 characters. A moment after the year 9999, which RFC
    /// 3339 cannot express, becomes the last second of that year.
    package static func text(_ moment: UnixMilliseconds) -> String {
        var output: [UInt8] = []
        append(moment, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    /// Appends `text`.
    package static func append(_ moment: UnixMilliseconds, to output: inout [UInt8]) {
        // 9999-12-31T23:59:59Z
        let seconds = Int(min(moment.seconds.rawValue, latest))
        let date = CivilDate(daysSince1970: seconds / 86_400)
        output.append(decimal: date.year, digits: 4)
        output.append(UInt8(ascii: "-"))
        output.append(decimal: date.month, digits: 2)
        output.append(UInt8(ascii: "-"))
        output.append(decimal: date.day, digits: 2)
        output.append(UInt8(ascii: "T"))
        output.append(timeOfDay: seconds)
        output.append(UInt8(ascii: "."))
        output.append(decimal: Int(moment.rawValue % 1000), digits: 3)
        output.append(UInt8(ascii: "Z"))
    }
}

/// Parses the parts of a date in turn; each call must receive the same text.
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

    /// Parses an optional fraction of a second.
    mutating func milliseconds(_ text: Span<UInt8>) -> Int? {
        guard take(".", text) else { return 0 }
        guard var milliseconds = digits(1, text).map({ $0 * 100 }) else { return nil }
        var unit = 10
        while let digit = digit(text) {
            milliseconds += digit * unit
            // Digits after the third are ignored.
            unit /= 10
        }
        return milliseconds
    }

    /// Parses the offset from UTC; positive east of it.
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
