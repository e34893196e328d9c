internal import Bytes
internal import Crypto
package import Time

/// A security key taken apart: what a company's backend gives a signed-in user, and what the help desk shows us on every request.
///
/// As text it has always 89 characters: `dgk1.` and 63 bytes in base64url. The bytes are the head (flags, key id, issue and expiry time,
/// salt) and a MAC over the head, the app and the user. Parsing proves nothing; only `Authorizer` does.
package struct SecurityKey: Sendable {
    /// The length of every security key in characters.
    package static let textCount = prefix.utf8CodeUnitCount + encodedCount
    /// The largest time that a key can hold: it has 40 bits.
    package static let latestTime = UnixSeconds(rawValue: 1 << 40 - 1)

    static let prefix: StaticString = "dgk1."
    static let headCount = 31
    private static let encodedCount = 84

    /// Which of the app's secrets made it.
    package let keyID: UInt32
    /// When it was made.
    package let issuedAt: UnixSeconds
    /// The last second in which it is valid; 0 for ever.
    package let expiresAt: UnixSeconds
    let head: InlineArray<31, UInt8>
    let mac: InlineArray<32, UInt8>

    /// Reads a key from its text; nil when the text breaks the public grammar. Allocates nothing.
    package init?(_ text: Span<UInt8>) {
        guard text.count == Self.textCount, text.extracting(..<Self.prefix.utf8CodeUnitCount).equals(Self.prefix) else { return nil }
        var bytes = InlineArray<63, UInt8>(repeating: 0)
        var output = bytes.mutableSpan
        guard Base64URL.decode(text.extracting(Self.prefix.utf8CodeUnitCount...), into: &output) == 63 else { return nil }
        // A flag means a layout that this version doesn't know.
        guard bytes[0] == 0 else { return nil }
        keyID = UInt32(truncatingIfNeeded: Self.bigEndian(bytes, 1..<5))
        issuedAt = UnixSeconds(rawValue: Self.bigEndian(bytes, 5..<10))
        expiresAt = UnixSeconds(rawValue: Self.bigEndian(bytes, 10..<15))
        head = InlineArray { bytes[$0] }
        mac = InlineArray { bytes[Self.headCount + $0] }
    }

    private static func bigEndian(_ bytes: borrowing InlineArray<63, UInt8>, _ range: Range<Int>) -> UInt64 {
        var value: UInt64 = 0
        for index in range {
            value = value << 8 | UInt64(bytes[index])
        }
        return value
    }
}
