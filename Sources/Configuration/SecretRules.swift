internal import Core
internal import Crypto

enum SecretRules {
    /// The length of an app's secret in bytes.
    static let secretCount = 32

    /// The prefix of secrets that sign webhooks.
    private static let signingPrefix = Array("whsec_".utf8)

    /// Returns the 32 bytes that a secret's 43 characters encode; nil for other texts.
    static func decode(_ text: SecretBytes) -> SecretBytes? {
        text.withSpan { characters in
            guard Base64URL.decodedCount(ofCharacters: characters.count) == secretCount else { return nil }
            var isValid = false
            let secret = SecretBytes(count: secretCount) { bytes in
                isValid = Base64URL.decode(characters, into: &bytes) == secretCount
            }
            return isValid ? secret : nil
        }
    }

    /// The bytes of a secret that signs webhooks: `whsec_` and base64 of 24 to 64 bytes (Standard Webhooks 1.0); nil when it is spelled in
    /// any other way.
    static func decodeSigningSecret(_ text: SecretBytes) -> SecretBytes? {
        text.withSpan { characters in
            guard characters.count > signingPrefix.count, signingPrefix.indices.allSatisfy({ characters[$0] == signingPrefix[$0] }) else {
                return nil
            }
            let encoded = characters.extracting(signingPrefix.count...)
            guard let count = Base64.decodedCount(of: encoded), (24...64).contains(count) else { return nil }
            var isValid = false
            let secret = SecretBytes(count: count) { bytes in isValid = Base64.decode(encoded, into: &bytes) == count }
            return isValid ? secret : nil
        }
    }

    /// The fewest hexadecimal digits that are taken for a secret, as `openssl rand -hex 32` makes it.
    private static let hexadecimalCount = 64

    /// Whether a text is spelled like one of the secrets of a configuration, a security key or a PEM file, and so must not be shown.
    static func looksLikeSecret(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return text.contains("-----BEGIN") || bytes.starts(with: signingPrefix) || SecurityKey(bytes.span) != nil
            || decode(SecretBytes(copying: bytes.span)) != nil || bytes.count >= hexadecimalCount && text.allSatisfy(\.isHexDigit)
    }

    /// Whether a text in place of a name or a path may hold a secret: is one, or an address with a user and a password.
    static func mayHoldSecret(_ text: String) -> Bool {
        looksLikeSecret(text) || text.firstRange(of: "://").map { text[$0.upperBound...].contains("@") } ?? false
    }

    /// Whether 32 bytes were hardly made by chance.
    ///
    /// Of 32 random bytes some 30 differ, and fewer than 16 do so less than once in 10^10 tries; all 32 are printable once in 10^13.
    static func isWeak(_ secret: SecretBytes) -> Bool {
        secret.withSpan { bytes in
            var seen: Set<UInt8> = []
            var isPrintable = true
            for index in bytes.indices {
                seen.insert(bytes[index])
                isPrintable = isPrintable && (0x20..<0x7F).contains(bytes[index])
            }
            return seen.count < 16 || isPrintable
        }
    }

    /// Whether a token fits into an Authorization header and is long enough not to be guessed.
    static func isUsableToken(_ token: SecretBytes) -> Bool {
        token.count >= 32 && isVisible(token)
    }

    /// Whether all of it are visible ASCII characters.
    static func isVisible(_ text: SecretBytes) -> Bool {
        text.withSpan { bytes in
            for index in bytes.indices where !(0x21..<0x7F).contains(bytes[index]) { return false }
            return true
        }
    }

    /// Whether a secret can be the last part of a path without encoding, and its length is allowed.
    static func isUsableInPath(_ secret: SecretBytes) -> Bool {
        secret.withSpan { characters in
            for index in characters.indices where !isUnreserved(characters[index]) {
                return false
            }
            return (16...128).contains(characters.count)
        }
    }

    /// Whether a character means the same in a URL however it is written (RFC 3986 section 2.3).
    static func isUnreserved(_ character: UInt8) -> Bool {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// Whether a secret that is a text was hardly made by chance; 16 random hexadecimal digits have fewer than six different ones less
    /// than once in 10,000 tries.
    static func isWeakText(_ secret: SecretBytes) -> Bool {
        secret.withSpan { characters in
            var seen: Set<UInt8> = []
            for index in characters.indices { seen.insert(characters[index]) }
            return seen.count < 6
        }
    }
}
