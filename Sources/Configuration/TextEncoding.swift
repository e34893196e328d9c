/// Detects the encodings that editors produce instead of UTF-8.
package enum TextEncoding {
    /// Whether the bytes are UTF-16 or UTF-32: they begin with a byte order mark, or with an ASCII character, in one of these encodings.
    static func isWide(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 2 else { return false }
        let (first, second) = (bytes[0], bytes[1])
        return first == 0xFF && second == 0xFE || first == 0xFE && second == 0xFF || (first == 0) != (second == 0)
    }

    /// Whether a text begins or ends with white space or with an invisible character.
    package static func hasUnseenEnd(_ text: String) -> Bool {
        [text.unicodeScalars.first, text.unicodeScalars.last].contains { scalar in
            invisible(scalar) != nil || scalar?.properties.isWhitespace == true
        }
    }

    /// Whether a text begins or ends with a quote, which word processors and templates add.
    static func hasQuoteAtEnd(_ text: String) -> Bool {
        [text.first, text.last].contains { $0.map("\"'`“”„‘’«»".contains) ?? false }
    }

    /// Returns the description of an invisible character for a message; nil for any other character.
    static func invisible(_ scalar: Unicode.Scalar?) -> String? {
        guard let scalar, scalar == "\0" || scalar.properties.isDefaultIgnorableCodePoint else { return nil }
        if scalar == "\u{FEFF}" { return "a byte order mark" }
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "the invisible character U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
