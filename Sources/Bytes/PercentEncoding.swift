/// Percent escapes (RFC 3986 section 2.1): `%` and two hexadecimal digits of either case. Signs and spaces are not digits.
package enum PercentEncoding {
    /// Returns the byte of the escape at an index; nil when no escape begins there.
    @inlinable
    package static func byte(at index: Int, in text: Span<UInt8>) -> UInt8? {
        guard index + 2 < text.count, text[index] == UInt8(ascii: "%") else { return nil }
        return Hexadecimal.byte(text[index + 1], text[index + 2])
    }

    /// Decodes escapes; nil when a `%` does not begin an escape.
    /// - Parameter isForm: whether to decode `+` as a space, as HTML forms require.
    package static func decoded(_ text: Span<UInt8>, isForm: Bool = false) -> [UInt8]? {
        for index in text.indices where text[index] == UInt8(ascii: "%") {
            guard byte(at: index, in: text) != nil else { return nil }
        }
        return decodedLeniently(text, isForm: isForm)
    }

    /// Decodes escapes; leaves a `%` that does not begin an escape unchanged.
    package static func decodedLeniently(_ text: Span<UInt8>, isForm: Bool = false) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var index = 0
        while index < text.count {
            if let byte = byte(at: index, in: text) {
                bytes.append(byte)
                index += 3
                continue
            }
            bytes.append(isForm && text[index] == UInt8(ascii: "+") ? UInt8(ascii: " ") : text[index])
            index += 1
        }
        return bytes
    }
}

extension [UInt8] {
    /// Appends an unreserved byte (RFC 3986 section 2.3) unchanged, and any other byte as `%` and two upper-case digits.
    package mutating func append(percentEncoding byte: UInt8) {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
            append(byte)
        default:
            append(UInt8(ascii: "%"))
            append(Hexadecimal.upperDigit(byte >> 4))
            append(Hexadecimal.upperDigit(byte))
        }
    }
}
