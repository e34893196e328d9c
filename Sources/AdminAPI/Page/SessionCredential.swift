internal import Crypto

/// The two texts that together prove a session: the id in the cookie, and the secret.
///
/// A browser sends a cookie to every port of its host, so another program on the host may obtain the id. The browser stores the secret only
/// for the page's origin, which includes the port.
struct SessionCredential {
    let id: String
    let secret: String

    /// Creates the credential of a new session. Each text has 43 URL-safe characters, 256 random bits.
    static func random() throws(CryptoError) -> SessionCredential {
        SessionCredential(id: try randomText(), secret: try randomText())
    }

    /// Returns the digest of both texts.
    func digest() throws(CryptoError) -> [UInt8] {
        let both = "\(id).\(secret)"
        return try sha256(both.utf8.span)
    }

    private static func randomText() throws(CryptoError) -> String {
        let random: InlineArray<32, UInt8> = try randomBytes()
        return Base64URL.encode(random.span)
    }
}
