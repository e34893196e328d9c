internal import Bytes

/// Decodes the requested fields of an `application/x-www-form-urlencoded` body in place, without allocation.
///
/// The decoder follows the URL Standard (section 5.1), but is strict for the requested fields: a broken escape, a value that is not UTF-8,
/// and a duplicate field are errors, while the standard repairs or accepts these.
package struct FormDecoder<let count: Int>: Sendable {
    /// The names of the requested fields. The position of a name is the index of its field.
    let names: InlineArray<count, StaticString>

    package init(wanting names: InlineArray<count, StaticString>) {
        self.names = names
    }

    /// Decodes the escapes in `body` in place, and returns the ranges of the requested fields' values; nil for a missing field.
    ///
    /// `+` is decoded as a space, and `%` requires two hexadecimal digits; all other bytes are literal, including control characters. Names
    /// are compared after decoding. Other fields are skipped, regardless of their contents. Empty pairs are skipped, and a field without
    /// `=` has an empty value. Afterwards, only the returned ranges of `body` are valid. After an error, no part of `body` is valid.
    package func decode(_ body: inout MutableSpan<UInt8>) throws(FormError) -> InlineArray<count, Range<Int>?> {
        var ranges = InlineArray<count, Range<Int>?>(repeating: nil)
        var start = 0
        while start < body.count {
            let end = Self.firstIndex(of: UInt8(ascii: "&"), in: body.span, from: start, to: body.count)
            try decodePair(start..<end, in: &body, into: &ranges)
            start = end + 1
        }
        return ranges
    }

    private func decodePair(
        _ pair: Range<Int>, in body: inout MutableSpan<UInt8>, into ranges: inout InlineArray<count, Range<Int>?>
    ) throws(FormError) {
        let separator = Self.firstIndex(of: UInt8(ascii: "="), in: body.span, from: pair.lowerBound, to: pair.upperBound)
        // A name with a broken escape cannot be a requested name.
        guard let name = try? Self.unescape(pair.lowerBound..<separator, in: &body),
            let index = wantedIndex(of: body.span.extracting(name))
        else { return }
        let value = try Self.unescape(min(separator + 1, pair.upperBound)..<pair.upperBound, in: &body)
        guard Self.isUTF8(body.span.extracting(value)) else { throw .invalidUTF8(names[index]) }
        guard ranges[index] == nil else { throw .duplicate(names[index]) }
        ranges[index] = value
    }

    private func wantedIndex(of name: Span<UInt8>) -> Int? {
        for index in names.indices where name.equals(names[index]) { return index }
        return nil
    }

    /// Decodes a range in place, which never lengthens it, and returns the range of the decoded bytes.
    private static func unescape(_ range: Range<Int>, in body: inout MutableSpan<UInt8>) throws(FormError) -> Range<Int> {
        var read = range.lowerBound
        var write = range.lowerBound
        while read < range.upperBound {
            switch body[read] {
            case UInt8(ascii: "+"): body[write] = UInt8(ascii: " ")
            case UInt8(ascii: "%"):
                guard let byte = PercentEncoding.byte(at: 0, in: body.span.extracting(read..<range.upperBound)) else { throw .badEscape }
                body[write] = byte
                read += 2
            case let byte: body[write] = byte
            }
            read += 1
            write += 1
        }
        return range.lowerBound..<write
    }

    private static func firstIndex(of byte: UInt8, in bytes: Span<UInt8>, from start: Int, to end: Int) -> Int {
        var index = start
        while index < end, bytes[index] != byte { index += 1 }
        return index
    }

    private static func isUTF8(_ bytes: Span<UInt8>) -> Bool {
        (try? UTF8Span(validating: bytes)) != nil
    }
}

/// An error in a form. It never contains text from the form.
package enum FormError: Error, CustomStringConvertible {
    /// The value of a requested field has a `%` without two hexadecimal digits.
    case badEscape
    case invalidUTF8(StaticString)
    case duplicate(StaticString)

    package var description: String {
        switch self {
        case .badEscape: "the form contains a % without two hexadecimal digits"
        case .invalidUTF8(let name): "\(name) is not valid UTF-8"
        case .duplicate(let name): "\(name) is given twice"
        }
    }
}
