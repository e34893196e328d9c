internal import Bytes

/// The checked formats of strings, JSON Schema Validation section 7.3.
enum TextFormat: String, Sendable, CaseIterable {
    case date
    case dateTime = "date-time"
    case time
    case email
    case hostname
    case ipv4
    case ipv6
    case uri
    case uuid

    func accepts(_ text: String) -> Bool {
        // No format allows other characters, so another Unicode digit is never taken for an ASCII digit.
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return false }
        let bytes = Array(text.utf8)[...]
        return switch self {
        case .date: Self.isDate(bytes)
        case .dateTime: Self.isDateTime(bytes)
        case .time: Self.isTime(bytes)
        case .email: Self.isMailbox(bytes)
        case .hostname: Self.isHostname(bytes)
        case .ipv4: !bytes.contains(UInt8(ascii: ":")) && IPAddress(text) != nil
        case .ipv6: bytes.contains(UInt8(ascii: ":")) && IPAddress(text) != nil
        case .uri: Self.isURI(bytes)
        case .uuid: Self.isUUID(bytes)
        }
    }

    var words: String {
        switch self {
        case .date: "a date such as 2026-01-31"
        case .dateTime: "a date and time such as 2026-01-31T09:30:00Z"
        case .time: "a time such as 09:30:00Z"
        case .email: "an e-mail address"
        case .hostname: "the name of a host"
        case .ipv4: "an IPv4 address"
        case .ipv6: "an IPv6 address"
        case .uri: "an absolute URI"
        case .uuid: "a UUID of 36 characters"
        }
    }
}

// Dates and times in the form of RFC 3339 section 5.6 and appendix A.
extension TextFormat {
    private static func isDateTime(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.count > 11, let separator = text.dropFirst(10).first, separator | 0x20 == UInt8(ascii: "t") else { return false }
        return isDate(text.prefix(10)) && isTime(text.dropFirst(11))
    }

    private static func isDate(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.count == 10, let (year, month) = pair(text.prefix(7), first: 4, separator: UInt8(ascii: "-"), second: 2),
            let (_, day) = pair(text.dropFirst(5), first: 2, separator: UInt8(ascii: "-"), second: 2)
        else { return false }
        let isLeap = year.isMultiple(of: 4) && !year.isMultiple(of: 100) || year.isMultiple(of: 400)
        let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return (1...12).contains(month) && (1...days[month - 1]).contains(day)
    }

    private static func isTime(_ text: ArraySlice<UInt8>) -> Bool {
        guard let (hour, minute) = pair(text.prefix(5), first: 2, separator: UInt8(ascii: ":"), second: 2),
            let (_, second) = pair(text.dropFirst(3).prefix(5), first: 2, separator: UInt8(ascii: ":"), second: 2), hour < 24, minute < 60,
            second <= 60
        else { return false }
        var rest = text.dropFirst(8)
        if rest.first == UInt8(ascii: ".") {
            let digits = rest.dropFirst().prefix { isDigit($0) }
            if digits.isEmpty { return false }
            rest = rest.dropFirst(digits.count + 1)
        }
        guard let offset = offset(rest) else { return false }
        // A leap second is inserted only at the end of a UTC day.
        return second < 60 || (hour * 60 + minute - offset + 1440) % 1440 == 23 * 60 + 59
    }

    /// Returns the minutes by which a time is ahead of UTC; nil without an offset.
    private static func offset(_ text: ArraySlice<UInt8>) -> Int? {
        if text.count == 1, let zulu = text.first, zulu | 0x20 == UInt8(ascii: "z") { return 0 }
        guard let sign = text.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"),
            let (hours, minutes) = pair(text.dropFirst(), first: 2, separator: UInt8(ascii: ":"), second: 2), hours < 24, minutes < 60
        else { return nil }
        return (sign == UInt8(ascii: "-") ? -1 : 1) * (hours * 60 + minutes)
    }

    /// Exactly two numbers of this many digits each, with a separator between them.
    private static func pair(_ text: ArraySlice<UInt8>, first: Int, separator: UInt8, second: Int) -> (Int, Int)? {
        guard text.count == first + 1 + second, text.dropFirst(first).first == separator else { return nil }
        guard let left = number(text.prefix(first)), let right = number(text.suffix(second)) else { return nil }
        return (left, right)
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        digits.allSatisfy(isDigit) ? digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } : nil
    }

    static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isUUID(_ text: ArraySlice<UInt8>) -> Bool {
        // RFC 9562 section 4: groups of 8, 4, 4, 4 and 12 digits.
        text.count == 36
            && text.indices.allSatisfy { index in
                [8, 13, 18, 23].contains(index) ? text[index] == UInt8(ascii: "-") : Hexadecimal.value(text[index]) != nil
            }
    }
}
