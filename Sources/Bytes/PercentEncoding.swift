extension [UInt8] {
    /// Appends a byte as URLs and forms hold it: itself when it is unreserved (RFC 3986 section 2.3), otherwise `%` and two upper-case digits.
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
