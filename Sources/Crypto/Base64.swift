/// Standard base64 with padding (RFC 4648 section 4), decoded strictly: every byte sequence has exactly one accepted encoding. For external
/// formats that require it; Deskgate's own formats use `Base64URL`.
package enum Base64: Base64Alphabet {
    static let characters: [UInt8] = makeCharacters(last: "+/")
    static let sextets: ByteTable = makeSextets(of: characters)

    /// Returns the decoded length of well-formed `text`; nil when the length is not a multiple of 4.
    package static func decodedCount(of text: Span<UInt8>) -> Int? {
        text.count % 4 == 0 ? text.count / 4 * 3 - paddingCount(of: text) : nil
    }

    /// Decodes ASCII `text` into the front of `output` and returns the number of bytes written, without allocating.
    ///
    /// Returns nil for missing or misplaced padding, white space, any other character outside the alphabet, unused trailing bits that are
    /// not zero, and when `output` is too short; the content of `output` is then unspecified. The number of steps depends only on the
    /// length and the padding.
    package static func decode(_ text: Span<UInt8>, into output: inout MutableSpan<UInt8>) -> Int? {
        guard text.count % 4 == 0 else { return nil }
        return decodeUnpadded(text.extracting(droppingLast: paddingCount(of: text)), into: &output)
    }

    /// Decodes a text with the same rules as `decode(_:into:)`.
    package static func decode(_ text: String) -> [UInt8]? {
        guard let count = decodedCount(of: text.utf8.span) else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        var span = bytes.mutableSpan
        return decode(text.utf8.span, into: &span) == nil ? nil : bytes
    }

    package static func encode(_ bytes: Span<UInt8>) -> String {
        encode(bytes, padding: (3 - bytes.count % 3) % 3)
    }

    /// Counts padding among the last two characters; further padding would be outside the alphabet.
    private static func paddingCount(of text: Span<UInt8>) -> Int {
        var count = 0
        while count < min(2, text.count), text[text.count - 1 - count] == UInt8(ascii: "=") { count += 1 }
        return count
    }
}

/// Unpadded base64url, RFC 4648 section 5, decoded strictly: every byte sequence has exactly one accepted encoding.
package enum Base64URL: Base64Alphabet {
    static let characters: [UInt8] = makeCharacters(last: "-_")
    static let sextets: ByteTable = makeSextets(of: characters)

    /// Returns nil if the count is 1 more than a multiple of 4, which is not the length of any encoding.
    package static func decodedCount(ofCharacters count: Int) -> Int? {
        unpaddedDecodedCount(ofCharacters: count)
    }

    /// Decodes like `Base64.decode(_:into:)`, but rejects any padding and impossible lengths. The number of steps depends only on the
    /// length.
    package static func decode(_ text: Span<UInt8>, into output: inout MutableSpan<UInt8>) -> Int? {
        decodeUnpadded(text, into: &output)
    }

    package static func decode(_ text: String) -> [UInt8]? {
        guard let count = decodedCount(ofCharacters: text.utf8.count) else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        var span = bytes.mutableSpan
        return decode(text.utf8.span, into: &span) == nil ? nil : bytes
    }

    package static func encode(_ bytes: Span<UInt8>) -> String {
        encode(bytes, padding: 0)
    }
}

/// The common code of both base64 variants (RFC 4648 sections 4 and 5): 64 characters for six bits each, without padding. It is a protocol,
/// because static tables are read in place, while tables in a value would be copied for each character.
protocol Base64Alphabet {
    /// The characters by their six bits.
    static var characters: [UInt8] { get }
    /// The six bits by their characters, created with `makeSextets(of:)`.
    static var sextets: ByteTable { get }
}

extension Base64Alphabet {
    /// - Parameter last: the two characters that differ between the variants.
    static func makeCharacters(last: String) -> [UInt8] {
        Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789\(last)".utf8)
    }

    /// Returns a table of the six bits for each character. Characters outside the alphabet have a higher bit set.
    static func makeSextets(of characters: [UInt8]) -> ByteTable {
        ByteTable { character in characters.firstIndex(of: character).map { UInt8($0) } ?? outside }
    }

    /// Returns nil if the count is 1 more than a multiple of 4, which is not the length of any encoding.
    static func unpaddedDecodedCount(ofCharacters count: Int) -> Int? {
        count % 4 == 1 ? nil : count / 4 * 3 + count % 4 * 3 / 4
    }

    /// Returns the number of bytes written, without allocating; nil when `text` is not the accepted encoding, or `output` is too short.
    static func decodeUnpadded(_ text: Span<UInt8>, into output: inout MutableSpan<UInt8>) -> Int? {
        guard let count = unpaddedDecodedCount(ofCharacters: text.count), count <= output.count else { return nil }
        // Characters outside the alphabet have a bit above the lower six, which is checked once at the end.
        var flaws: UInt8 = 0
        var written = 0
        var index = 0
        while index + 4 <= text.count {
            // Within bounds: the loop's condition bounds the input, and `output` was checked above to have `count` bytes.
            let (first, second) = unsafe (sextets[text[unchecked: index]], sextets[text[unchecked: index + 1]])
            let (third, fourth) = unsafe (sextets[text[unchecked: index + 2]], sextets[text[unchecked: index + 3]])
            flaws |= first | second | third | fourth
            unsafe output[unchecked: written] = first << 2 | second >> 4
            unsafe output[unchecked: written + 1] = second << 4 | third >> 2
            unsafe output[unchecked: written + 2] = third << 6 | fourth
            (index, written) = (index + 4, written + 3)
        }
        flaws |= decodeRest(text.extracting(index...), into: &output, at: written)
        return flaws & 0xC0 == 0 ? count : nil
    }

    static func encode(_ bytes: Span<UInt8>, padding: Int) -> String {
        let count = (bytes.count * 4 + 2) / 3
        return unsafe String(unsafeUninitializedCapacity: count + padding) { text in
            for index in 0..<count {
                unsafe text[index] = characters[sextet(at: index, of: bytes)]
            }
            for index in count..<count + padding {
                unsafe text[index] = UInt8(ascii: "=")
            }
            return count + padding
        }
    }

    private static var outside: UInt8 { 0xFF }

    /// Decodes the last two or three characters. One of the two highest bits of the result is set when they are invalid.
    private static func decodeRest(_ text: Span<UInt8>, into output: inout MutableSpan<UInt8>, at written: Int) -> UInt8 {
        guard text.count >= 2 else { return 0 }
        let (first, second) = (sextets[text[0]], sextets[text[1]])
        output[written] = first << 2 | second >> 4
        guard text.count == 3 else { return first | second | (second & 0x0F == 0 ? 0 : outside) }
        let third = sextets[text[2]]
        output[written + 1] = second << 4 | third >> 2
        return first | second | third | (third & 0x03 == 0 ? 0 : outside)
    }

    /// Returns the 6 bits of the character at `index` of the encoding; bits past the end are zero.
    private static func sextet(at index: Int, of bytes: Span<UInt8>) -> Int {
        let (byte, bit) = (index * 6).quotientAndRemainder(dividingBy: 8)
        let pair = UInt16(bytes[byte]) << 8 | (byte + 1 < bytes.count ? UInt16(bytes[byte + 1]) : 0)
        return Int(pair >> (10 - bit)) & 0x3F
    }
}

/// A table with one byte for each byte value, which needs no bounds check.
@safe struct ByteTable: Sendable {
    private let values: InlineArray<256, UInt8>

    init(_ value: (UInt8) -> UInt8) {
        values = InlineArray { value(UInt8($0)) }
    }

    subscript(byte: UInt8) -> UInt8 { unsafe values[unchecked: Int(byte)] }
}
