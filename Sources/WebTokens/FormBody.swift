internal import Bytes

/// An `application/x-www-form-urlencoded` body, in which OAuth's requests for tokens come (RFC 6749 appendix B).
package struct FormBody {
    package private(set) var bytes: [UInt8]

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
        for index in value.indices { bytes.append(percentEncoding: value[index]) }
    }

    /// The value of the first field of this name; nil when there is none. What is no escape stays as it is.
    package subscript(name: String) -> String? {
        for field in bytes.split(separator: UInt8(ascii: "&")) {
            let parts = field.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            if Self.decoded(parts[0]) == name { return parts.count == 2 ? Self.decoded(parts[1]) : "" }
        }
        return nil
    }

    private static func decoded(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: PercentEncoding.decodedLeniently(bytes.span, isForm: true), as: UTF8.self)
    }
}
