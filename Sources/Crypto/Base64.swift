/// Standard base64 with padding, RFC 4648 section 4, read strictly: every byte sequence has exactly one accepted spelling.
///
/// For formats of others that demand it; our own use `Base64URL`.
package enum Base64: Base64Alphabet {
    static let characters: [UInt8] = makeCharacters(last: "+/")
    static let sextets: ByteTable = makeSextets(of: characters)

    /// How many bytes `text` stands for if it is well formed; nil when its length is not a multiple of 4.
    package static func decodedCount(of text: Span<UInt8>) -> Int? {
        text.count % 4 == 0 ? text.count / 4 * 3 - paddingCount(of: text) : nil
    }

    /// Decodes ASCII `text` into the front of `output` and returns the number of bytes written, without allocating.
    ///
    /// Nil for missing or misplaced padding, white space, any other character outside the alphabet, unused trailing bits that are not
    /// zero, and when `output` is too short; what `output` holds is then unspecified. How many steps it takes depends on the length and the
    /// padding alone.
    package static func decode(_ text: Span<UInt8>, into output: inout MutableSpan<UInt8>) -> Int? {
        guard text.count % 4 == 0 else { return nil }
        return decodeUnpadded(text.extracting(droppingLast: paddingCount(of: text)), into: &output)
    }

    /// Decodes text into new bytes by the same rules; nil where `decode(_:into:)` says nil.
    package static func decode(_ text: String) -> [UInt8]? {
        guard let count = decodedCount(of: text.utf8.span) else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        var span = bytes.mutableSpan
        return decode(text.utf8.span, into: &span) == nil ? nil : bytes
    }

    /// Encodes bytes as the one spelling that `decode` accepts for them.
    package static func encode(_ bytes: Span<UInt8>) -> String {
        encode(bytes, padding: (3 - bytes.count % 3) % 3)
    }

    /// How many of the last two characters are padding; more would be outside the alphabet.
    private static func paddingCount(of text: Span<UInt8>) -> Int {
        var count = 0
        while count < min(2, text.count), text[text.count - 1 - count] == UInt8(ascii: "=") { count += 1 }
        return count
    }
}
