internal import JSON

/// The message about a value that is not an integer in a range: the value found, and the value that was probably meant.
package enum WrongInteger {
    private struct Unit {
        /// The suffix of key names with this unit.
        let ending: String
        /// The unit that is mistaken for this one, and the ratio between the larger and the smaller unit.
        let other: String
        let factor: Int
        /// Whether a value in the other unit exceeds the range; otherwise it is below the range.
        let isTooLarge: Bool
    }

    private static let units = [
        Unit(ending: "_seconds", other: "milliseconds", factor: 1000, isTooLarge: true),
        Unit(ending: "_ms", other: "seconds", factor: 1000, isTooLarge: false),
        Unit(ending: "_days", other: "seconds", factor: 86_400, isTooLarge: true),
        Unit(ending: "_megabytes", other: "bytes", factor: 1 << 20, isTooLarge: true),
    ]

    static func message(_ value: JSONValue, key: String, range: ClosedRange<Int>) -> String {
        let found = if case .integer(let integer) = value { "\(integer)" } else { value.kind }
        let remedy = remedy(
            value, isMoment: range.upperBound == ConfigurationReader.longestTime && !key.hasSuffix("_seconds"), key: key, range: range)
        return "expected an integer from \(range.lowerBound) to \(range.upperBound), found \(found)" + (remedy.map { "; \($0)" } ?? "")
    }

    /// Returns the error for an argument that is not a time in a range, in seconds since 1970.
    package static func remedy(ofMoment text: String, in range: ClosedRange<UInt64>) -> String {
        let range = 0...Int(clamping: range.upperBound)
        return Int(text).flatMap { meant($0, key: "_seconds", range: range) } ?? moment
    }

    private static let moment = "give seconds since 1970, as date -u -d DATE +%s prints them"

    private static func remedy(_ value: JSONValue, isMoment: Bool, key: String, range: ClosedRange<Int>) -> String? {
        switch value {
        case .string(let text): remedy(text, isMoment: isMoment)
        case .integer(let integer): meant(Int(integer), key: isMoment ? "_seconds" : key, range: range)
        default: nil
        }
    }

    private static func remedy(_ text: String, isMoment: Bool) -> String? {
        guard let first = text.utf8.first, isDigit(first) else { return nil }
        if text.utf8.allSatisfy(isDigit) { return "remove the quotes" }
        return isMoment ? moment : "give a number alone, without quotes and unit"
    }

    /// Returns the number in the key's unit, if an out-of-range number was meant in another unit.
    private static func meant(_ number: Int, key: String, range: ClosedRange<Int>) -> String? {
        guard number > 0, let unit = units.first(where: { key.hasSuffix($0.ending) }) else { return nil }
        let (product, overflows) = number.multipliedReportingOverflow(by: unit.factor)
        let meant = unit.isTooLarge ? number / unit.factor : product
        guard unit.isTooLarge ? meant * unit.factor == number : !overflows else { return nil }
        return range.contains(meant) ? "if that is in \(unit.other), give \(meant)" : nil
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
