/// Unpadded base64url, RFC 4648 section 5, read strictly: every byte sequence has exactly one accepted spelling.
package enum Base64URL: Base64Alphabet {
    static let characters: [UInt8] = makeCharacters(last: "-_")
    static let sextets: ByteTable = makeSextets(of: characters)

    /// How many bytes so many characters stand for; nil for 1 more than a multiple of 4, a length that no encoding has.
    package static func decodedCount(ofCharacters count: Int) -> Int? {
        unpaddedDecodedCount(ofCharacters: count)
    }

    /// Decodes ASCII `text` into the front of `output` and returns the number of bytes written, without allocating.
    ///
    /// Nil for padding, white space, any other character outside the alphabet, an impossible length, unused trailing
    /// bits that are not zero, and when `output` is too short; what `output` holds is then unspecified. How many steps it takes depends on
    /// the length alone.
    package static func decode(_ text: Span<UInt8>, into output: inout MutableSpan<UInt8>) -> Int? {
        decodeUnpadded(text, into: &output)
    }

    /// Decodes text into new bytes by the same rules; nil where `decode(_:into:)` says nil.
    package static func decode(_ text: String) -> [UInt8]? {
        guard let count = decodedCount(ofCharacters: text.utf8.count) else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        var span = bytes.mutableSpan
        return decode(text.utf8.span, into: &span) == nil ? nil : bytes
    }

    /// Encodes bytes as the one spelling that `decode` accepts for them.
    package static func encode(_ bytes: Span<UInt8>) -> String {
        encode(bytes, padding: 0)
    }
}
