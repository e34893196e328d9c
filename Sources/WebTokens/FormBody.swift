internal import Bytes

/// An `application/x-www-form-urlencoded` body, the format of OAuth's token requests (RFC 6749 appendix B).
package struct FormBody {
    package private(set) var bytes: [UInt8]

    package init() {
        bytes = []
    }

    /// Takes a received body, for simulators of providers.
    package init(received bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Appends a field, and percent-encodes all characters that are not unreserved (RFC 3986 section 2.3).
    package mutating func append(_ name: StaticString, _ value: String) {
        append(name, value.utf8.span)
    }

    /// Appends a field whose value is UTF-8.
    package mutating func append(_ name: StaticString, _ value: Span<UInt8>) {
        if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
        bytes += Array("\(name)=".utf8)
        for index in value.indices { bytes.append(percentEncoding: value[index]) }
    }

    /// Returns the value of the first field of this name; nil when there is none. Invalid escapes stay unchanged.
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
