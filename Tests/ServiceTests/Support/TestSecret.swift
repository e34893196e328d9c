import Core
import Crypto
import Time

/// Fixed secrets that pass the check of randomness.
enum TestSecret {
    static func bytes(_ number: Int) -> [UInt8] {
        (0..<32).map { UInt8(truncatingIfNeeded: $0 * 37 + number * 101 + 7) }
    }

    /// Encoded like a secret that signs webhooks.
    static func signing(_ number: Int) -> String {
        "whsec_\(Base64.encode(bytes(number).span))"
    }

    static func text(_ number: Int) -> String {
        Base64URL.encode(bytes(number).span)
    }
}

/// A security key built by the test, independently of the product.
struct TestKey {
    var app = "shop"
    var user = "user-1"
    var keyID: UInt32 = 1
    var secret = 1
    var issuedAt: UnixSeconds = TestTime.now
    var expiresAt: UnixSeconds = 0
    var salt: UInt8 = 7

    func text() throws -> String {
        let (app, user) = (Array(app.utf8), Array(user.utf8))
        return try SecurityKey.mint(
            appID: app.span, userID: user.span, keyID: keyID, secret: HMACKey(secret: TestSecret.bytes(secret).span),
            issuedAt: issuedAt, expiresAt: expiresAt, salt: InlineArray(repeating: salt))
    }
}

enum TestTime {
    /// 2026-03-10T08:15:12Z.
    static let now: UnixSeconds = 1_773_130_512
}
