package import Crypto

/// What a push provider knows a device by: opaque, and as good as a key to somebody's phone, so nothing prints it.
package struct PushToken: Sendable, Equatable {
    /// The longest that is taken, in UTF-16 code units.
    package static let longest = 4096

    /// The token as the app gave it.
    package let text: String
    /// The first 16 bytes of its SHA-256, which finds it.
    package let digest: [UInt8]

    /// Takes a token that is not empty.
    /// - Throws: when OpenSSL fails.
    package init(_ text: String) throws(CryptoError) {
        precondition(!text.isEmpty, "a token is not empty")
        self.init(text, digest: Array(try sha256(text.utf8.span).prefix(16)))
    }

    /// Takes a token whose digest is known.
    package init(_ text: String, digest: [UInt8]) {
        self.text = text
        self.digest = digest
    }

    /// What may be shown: the first four and the last four scalars of a long one, and how many it has.
    package var masked: String {
        // Not characters, of which one may be as long as a whole token.
        let scalars = text.unicodeScalars
        guard scalars.count >= 24 else { return "…(\(scalars.count))" }
        return "\(String(scalars.prefix(4)))…\(String(scalars.suffix(4)))(\(scalars.count))"
    }

    /// Compared as bytes.
    package static func == (left: Self, right: Self) -> Bool { ByteKey(left.text) == ByteKey(right.text) }
}

extension PushToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Masked.
    package var description: String { masked }
    /// Masked.
    package var debugDescription: String { masked }
    /// Nothing.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
