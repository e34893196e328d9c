/// Writes `application/x-www-form-urlencoded`, with everything percent-encoded that is not unreserved (RFC 3986 section 2.3).
struct FormBody {
    private(set) var bytes: [UInt8] = []

    /// Appends a field.
    mutating func append(_ name: StaticString, _ value: String) {
        append(name, value.utf8.span)
    }

    /// Appends a field with UTF-8 bytes as its value.
    mutating func append(_ name: StaticString, _ value: Span<UInt8>) {
        if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
        bytes += Array("\(name)=".utf8)
        for index in value.indices { append(value[index]) }
    }

    private mutating func append(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
            bytes.append(byte)
        default: bytes += [UInt8(ascii: "%"), Self.digit(byte >> 4), Self.digit(byte & 0x0F)]
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}
