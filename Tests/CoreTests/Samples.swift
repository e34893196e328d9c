import Core
import Crypto
import Testing
import Time

/// Fixed public secrets for the keys in tests.
enum Samples {
    static let now: UnixSeconds = 1_767_225_600
    static let monthSeconds: UInt64 = 30 * 24 * 3600

    /// A different secret for each number.
    static func secret(_ number: UInt8) throws -> HMACKey<SHA256> {
        let bytes = (0..<32).map { UInt8($0) ^ number &* 37 }
        return try HMACKey(secret: bytes.span)
    }

    /// An app whose key of id n has `secret(n)`.
    static func application(_ id: String, keys: UInt8...) throws -> Application {
        Application(id: id, keys: try keys.map { Application.Key(id: UInt32($0), secret: try secret($0)) })
    }

    /// A key for this app and user, in force at `now`.
    static func triple(
        _ appID: String, _ userID: String, keyID: UInt8 = 1, issuedAt: UnixSeconds = now, expiresAt: UnixSeconds = now + monthSeconds,
        salt: UInt8 = 0
    ) throws -> Triple {
        let (app, user) = (Array(appID.utf8), Array(userID.utf8))
        let key = try SecurityKey.mint(
            appID: app.span, userID: user.span, keyID: UInt32(keyID), secret: try secret(keyID), issuedAt: issuedAt,
            expiresAt: expiresAt, salt: InlineArray(repeating: salt))
        return Triple(appID, userID: userID, securityKey: key)
    }

    /// The parsed key; nil if the text is malformed.
    static func parsed(_ text: String) -> SecurityKey? {
        let bytes = Array(text.utf8)
        return SecurityKey(bytes.span)
    }
}

// A failed expectation prints its operands, which must not include a key's MAC.
extension SecurityKey: CustomTestStringConvertible, CustomReflectable {
    package var testDescription: String { "<security key>" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
