internal import Bytes
package import Crypto
package import Time

/// A parsed security key. A company's backend gives it to a signed-in user, and the help desk sends it with every request.
///
/// The text always has 89 characters: `dgk1.` and 63 bytes in base64url. The bytes are the head (flags, key id, time of issue, expiry,
/// salt) and a MAC over the head, the app and the user. Parsing proves nothing; only `Authorizer` verifies.
package struct SecurityKey: Sendable {
    package static let textCount = prefix.utf8CodeUnitCount + encodedCount
    /// The latest time that a key can represent, in 40 bits.
    package static let latestTime = UnixSeconds(rawValue: 1 << 40 - 1)

    static let prefix: StaticString = "dgk1."
    static let headCount = 31
    /// The offset of the salt in the head, and its length, in bytes.
    static let (saltStart, saltCount) = (15, 16)
    private static let encodedCount = 84

    package let keyID: UInt32
    package let issuedAt: UnixSeconds
    /// The last second in which the key is valid; 0 for unlimited.
    package let expiresAt: UnixSeconds
    /// 16 random bytes that identify the key for a revocation; not secret.
    package var salt: [UInt8] { (Self.saltStart..<Self.headCount).map { head[$0] } }
    let head: InlineArray<31, UInt8>
    let mac: InlineArray<32, UInt8>

    /// Returns nil when the text does not match the public grammar. Does not allocate.
    package init?(_ text: Span<UInt8>) {
        guard text.count == Self.textCount, text.extracting(..<Self.prefix.utf8CodeUnitCount).equals(Self.prefix) else { return nil }
        var bytes = InlineArray<63, UInt8>(repeating: 0)
        var output = bytes.mutableSpan
        guard Base64URL.decode(text.extracting(Self.prefix.utf8CodeUnitCount...), into: &output) == 63 else { return nil }
        // A flag means a layout that this version does not support.
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

extension SecurityKey {
    /// Domain separation: a secret that is mistakenly also used elsewhere cannot produce security keys there.
    private static let label: StaticString = "deskgate/sk/v1"

    /// Computes the MAC over the head and both identifiers. Each identifier is preceded by its length, so that (`ab`, `c`) and (`a`, `bc`)
    /// differ.
    static func mac(
        secret: HMACKey<SHA256>, head: Span<UInt8>, appID: Span<UInt8>, userID: Span<UInt8>
    ) throws(CryptoError) -> InlineArray<32, UInt8> {
        try secret.code { message throws(CryptoError) in
            try message.append(label)
            try message.append(head)
            try message.append(counted: appID)
            try message.append(counted: userID)
        }
    }
}

extension SecurityKey {
    /// Mints a new key. Both identifiers must match `FieldGrammar`; otherwise the key is never accepted.
    /// - Parameters:
    ///   - appID: UTF-8, as the help desk sends it.
    ///   - userID: UTF-8, as the app sends it.
    ///   - expiresAt: at most `latestTime`; 0 for unlimited.
    ///   - salt: random bytes, so that two keys of one user differ and can be revoked separately.
    package static func mint(
        appID: Span<UInt8>, userID: Span<UInt8>, keyID: UInt32, secret: HMACKey<SHA256>, issuedAt: UnixSeconds, expiresAt: UnixSeconds,
        salt: InlineArray<16, UInt8>
    ) throws(CryptoError) -> String {
        precondition(issuedAt <= latestTime && expiresAt <= latestTime, "times in a key have 40 bits")
        var head: [UInt8] = [0]
        appendBigEndian(UInt64(keyID), count: 4, to: &head)
        appendBigEndian(issuedAt.rawValue, count: 5, to: &head)
        appendBigEndian(expiresAt.rawValue, count: 5, to: &head)
        for index in salt.indices { head.append(salt[index]) }
        let mac = try mac(secret: secret, head: head.span, appID: appID, userID: userID)
        var bytes = head
        for index in mac.indices { bytes.append(mac[index]) }
        return "\(prefix)" + Base64URL.encode(bytes.span)
    }

    private static func appendBigEndian(_ value: UInt64, count: Int, to bytes: inout [UInt8]) {
        for position in (0..<count).reversed() {
            bytes.append(UInt8(truncatingIfNeeded: value >> (8 * UInt64(position))))
        }
    }
}
