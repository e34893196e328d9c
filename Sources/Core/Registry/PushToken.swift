internal import Bytes
package import Crypto

/// A push provider's opaque identifier of a device. It is a credential for sending to that device, so it prints masked.
package struct PushToken: Sendable, Equatable {
    /// The longest accepted token in UTF-16 code units.
    package static let longest = 4096

    /// The token from the app, with APNs tokens in lower case.
    package let text: String
    /// The first 16 bytes of the token's SHA-256, used for lookups.
    package let digest: [UInt8]

    /// - Precondition: the text is not empty.
    package init(_ text: String) throws(CryptoError) {
        precondition(!text.isEmpty, "a token must not be empty")
        let text = Self.form(of: text)
        self.init(text, digest: Array(try sha256(text.utf8.span).prefix(16)))
    }

    /// Normalizes a token. Hexadecimal digits of 32 bytes or more, as in APNs tokens, become lower case, because otherwise two spellings of
    /// one token would be two devices. No other provider has such tokens.
    static func form(of text: String) -> String {
        text.utf8.count >= fewestDigits && APNsToken.isValid(text) ? text.lowercased() : text
    }

    /// The digits of the shortest APNs token.
    private static let fewestDigits = 64

    package init(_ text: String, digest: [UInt8]) {
        self.text = text
        self.digest = digest
    }

    /// The first and the last four scalars of a long token, and the number of scalars.
    package var masked: String {
        // Counts scalars, because one character may be as long as a whole token.
        let scalars = text.unicodeScalars
        guard scalars.count >= 24 else { return "…(\(scalars.count))" }
        return "\(String(scalars.prefix(4)))…\(String(scalars.suffix(4)))(\(scalars.count))"
    }

    package static func == (left: Self, right: Self) -> Bool { ByteKey(left.text) == ByteKey(right.text) }
}

/// APNs device tokens: hexadecimal, without a guaranteed length (UIApplicationDelegate,
/// "didRegisterForRemoteNotificationsWithDeviceToken").
package enum APNsToken {
    /// The longest accepted token in decoded bytes; current tokens have 32.
    private static let longest = 128

    package static func isValid(_ text: String) -> Bool {
        let digits = text.utf8
        return (2...2 * longest).contains(digits.count) && digits.count.isMultiple(of: 2)
            && digits.allSatisfy { Hexadecimal.value($0) != nil }
    }
}

extension PushToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { masked }
    package var debugDescription: String { masked }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
