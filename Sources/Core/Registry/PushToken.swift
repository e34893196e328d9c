internal import Bytes
package import Crypto

/// A push provider's token for a device: opaque, and as good as a key to a person's phone, so it is never printed.
package struct PushToken: Sendable, Equatable {
    /// The longest that is taken, in UTF-16 code units.
    package static let longest = 4096

    /// The token as the app gave it, but APNs' tokens in lower case.
    package let text: String
    /// The first 16 bytes of its SHA-256, which finds it.
    package let digest: [UInt8]

    /// Takes a token that is not empty.
    /// - Throws: when OpenSSL fails.
    package init(_ text: String) throws(CryptoError) {
        precondition(!text.isEmpty, "a token is not empty")
        let text = Self.form(of: text)
        self.init(text, digest: Array(try sha256(text.utf8.span).prefix(16)))
    }

    /// The canonical form of a token. Hexadecimal digits of 32 bytes or more, as in APNs' tokens, encode a number. They are stored in lower
    /// case, because two forms of one token would be two devices. No other provider has such tokens.
    static func form(of text: String) -> String {
        text.utf8.count >= fewestDigits && APNsToken.isValid(text) ? text.lowercased() : text
    }

    private static let fewestDigits = 64

    package init(_ text: String, digest: [UInt8]) {
        self.text = text
        self.digest = digest
    }

    /// The first four and the last four scalars of a long token, and its length.
    package var masked: String {
        // Not characters, of which one may be as long as a whole token.
        let scalars = text.unicodeScalars
        guard scalars.count >= 24 else { return "…(\(scalars.count))" }
        return "\(String(scalars.prefix(4)))…\(String(scalars.suffix(4)))(\(scalars.count))"
    }

    /// Compared as bytes.
    package static func == (left: Self, right: Self) -> Bool { ByteKey(left.text) == ByteKey(right.text) }
}

/// Device tokens of APNs: hexadecimal, of no promised length (UIApplicationDelegate, "didRegisterForRemoteNotificationsWithDeviceToken").
package enum APNsToken {
    /// The longest token that is accepted, in bytes before the encoding; today's have 32.
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
