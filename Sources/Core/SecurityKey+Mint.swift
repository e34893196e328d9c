package import Crypto
package import Time

extension SecurityKey {
    /// Makes a new key's text.
    /// - Parameters:
    ///   - appID: UTF-8, as the help desk sends it.
    ///   - userID: UTF-8, as the app sends it; check both with `FieldGrammar` before, or the key will never be accepted.
    ///   - keyID: which of the app's secrets `secret` is.
    ///   - issuedAt: at most `latestTime`.
    ///   - expiresAt: at most `latestTime`; 0 for ever.
    ///   - salt: random, so that two keys of one user differ and one can be revoked alone.
    /// - Throws: when OpenSSL fails.
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
