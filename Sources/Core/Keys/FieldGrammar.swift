internal import Bytes

/// The public grammar of identifiers, checked on UTF-8 bytes without allocating. Each text must be valid UTF-8.
package enum FieldGrammar {
    /// The maximum length of an app id in UTF-16 code units; real app ids have 136.
    package static let longestAppID = 255
    /// The maximum length of a user id, and of a backend's security key, in UTF-16 code units, which the help desk's limit of "100
    /// characters" means.
    package static let longestUserID = 100

    package static func problem(ofAppID text: Span<UInt8>) -> ValidationError.Problem? {
        problem(of: text, longest: longestAppID)
    }

    package static func problem(ofUserID text: Span<UInt8>) -> ValidationError.Problem? {
        problem(of: text, longest: longestUserID)
    }

    /// Checks a security key that only the app's backend can verify.
    static func problem(ofForeignKey text: Span<UInt8>) -> ValidationError.Problem? {
        problem(of: text, longest: longestUserID)
    }

    /// Parses a security key. `problem` is meaningful only when `key` is nil.
    package static func parse(securityKey text: Span<UInt8>) -> (key: SecurityKey?, problem: ValidationError.Problem) {
        if let key = SecurityKey(text) { return (key, .notASecurityKey) }
        return (nil, problem(of: text, longest: longestUserID) ?? .notASecurityKey)
    }

    /// Checks a text of 1 to `longest` UTF-16 code units without control characters.
    package static func problem(of text: Span<UInt8>, longest: Int) -> ValidationError.Problem? {
        if text.isEmpty { return .empty }
        if text.hasControlCharacter { return .controlCharacter }
        // A code unit takes at least one byte, so the length in bytes is sufficient for nearly all texts.
        return text.count > longest && utf16Count(of: text) > longest ? .tooLong : nil
    }

    private static func utf16Count(of text: Span<UInt8>) -> Int {
        var units = 0
        for index in text.indices {
            // Continuation bytes add no code unit. The lead byte of a four-byte sequence adds two, a surrogate pair.
            if text[index] & 0xC0 != 0x80 { units += text[index] >= 0xF0 ? 2 : 1 }
        }
        return units
    }
}
