/// An `application/x-www-form-urlencoded` body, in which OAuth's requests for tokens come (RFC 6749 appendix B).
package struct FormBody {
    /// The body as it is sent.
    package private(set) var bytes: [UInt8]

    /// Makes an empty one.
    package init() {
        bytes = []
    }

    /// Takes one that was received, for those who play a provider.
    package init(received bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Appends a field, with everything encoded that is not unreserved (RFC 3986 section 2.3).
    package mutating func append(_ name: StaticString, _ value: String) {
        append(name, value.utf8.span)
    }

    /// Appends a field with UTF-8 bytes as its value.
    package mutating func append(_ name: StaticString, _ value: Span<UInt8>) {
        if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
        bytes += Array("\(name)=".utf8)
        for index in value.indices { append(value[index]) }
    }

    /// The value of the first field of this name; nil when there is none. What is no escape stays as it is.
    package subscript(name: String) -> String? {
        for field in bytes.split(separator: UInt8(ascii: "&")) {
            let parts = field.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            if Self.decoded(parts[0]) == name { return parts.count == 2 ? Self.decoded(parts[1]) : "" }
        }
        return nil
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

    private static func decoded(_ bytes: ArraySlice<UInt8>) -> String {
        var decoded: [UInt8] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "+") {
                decoded.append(UInt8(ascii: " "))
            } else if byte == UInt8(ascii: "%"), let escaped = escaped(rest.prefix(2)) {
                decoded.append(escaped)
                rest = rest.dropFirst(2)
            } else {
                decoded.append(byte)
            }
        }
        return String(decoding: decoded, as: UTF8.self)
    }

    private static func escaped(_ digits: ArraySlice<UInt8>) -> UInt8? {
        digits.count == 2 ? UInt8(String(decoding: digits, as: UTF8.self), radix: 16) : nil
    }
}
