internal import Bytes

/// The escapes in JSON strings (RFC 8259 section 7).
struct JSONEscape {
    /// Returns the character of the escape at `index`, and the escape's length in bytes. A surrogate pair is one escape.
    ///
    /// Returns nil if there is no escape, if it is truncated, or for half of a surrogate pair.
    static func scalar(at index: Int, in text: Span<UInt8>) -> (scalar: Unicode.Scalar, count: Int)? {
        guard index + 1 < text.count else { return nil }
        switch text[index + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return (Unicode.Scalar(text[index + 1]), 2)
        case UInt8(ascii: "b"): return ("\u{8}", 2)
        case UInt8(ascii: "f"): return ("\u{C}", 2)
        case UInt8(ascii: "n"): return ("\n", 2)
        case UInt8(ascii: "r"): return ("\r", 2)
        case UInt8(ascii: "t"): return ("\t", 2)
        default: return unicodeScalar(at: index, in: text)
        }
    }

    /// Returns the length of the escape at `index`, and whether it encodes a character. Half of a surrogate pair does not.
    ///
    /// Returns nil if there is no escape, or if it is truncated.
    static func extent(at index: Int, in text: Span<UInt8>) -> (count: Int, isCharacter: Bool)? {
        if let (_, count) = scalar(at: index, in: text) { return (count, true) }
        return codeUnit(at: index, in: text) == nil ? nil : (6, false)
    }

    /// Returns the decoded bytes of a string whose escapes were already validated.
    /// - Parameter isRepaired: whether U+FFFD replaces each half of a surrogate pair. Otherwise the result is not valid UTF-8 at these
    ///   places.
    static func bytes(of string: JSONTape.Entry, in text: Span<UInt8>, isRepaired: Bool = false) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(string.count)
        var index = string.start
        let end = string.start + string.count
        while index < end {
            if text[index] != UInt8(ascii: "\\") {
                result.append(text[index])
                index += 1
            } else if let (scalar, count) = scalar(at: index, in: text) {
                result.append(contentsOf: scalar.utf8)
                index += count
            } else {
                let unit = isRepaired ? 0xFFFD : codeUnit(at: index, in: text) ?? 0
                result += [0xE0 | UInt8(unit >> 12), 0x80 | UInt8(unit >> 6 & 0x3F), 0x80 | UInt8(unit & 0x3F)]
                index += 6
            }
        }
        return result
    }

    private static func unicodeScalar(at index: Int, in text: Span<UInt8>) -> (scalar: Unicode.Scalar, count: Int)? {
        guard let unit = codeUnit(at: index, in: text) else { return nil }
        if let scalar = Unicode.Scalar(unit) { return (scalar, 6) }
        guard unit < 0xDC00, let low = codeUnit(at: index + 6, in: text), (0xDC00...0xDFFF).contains(low) else { return nil }
        return Unicode.Scalar(0x10000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(low) - 0xDC00)).map { ($0, 12) }
    }

    /// Returns the UTF-16 code unit of `\uXXXX` at `index`.
    private static func codeUnit(at index: Int, in text: Span<UInt8>) -> UInt16? {
        guard index + 6 <= text.count, text[index] == UInt8(ascii: "\\"), text[index + 1] == UInt8(ascii: "u") else { return nil }
        var unit: UInt16 = 0
        for place in index + 2..<index + 6 {
            guard let digit = Hexadecimal.value(text[place]) else { return nil }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }
}
