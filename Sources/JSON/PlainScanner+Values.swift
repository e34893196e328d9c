/// What a `TapeScanner` passes beside plain strings.
extension PlainScanner {
    /// Passes white space, and tells which byte is next; nil at the end.
    mutating func next(in text: Span<UInt8>) -> UInt8? {
        passWhiteSpace(in: text)
        return position < text.count ? text[position] : nil
    }

    /// Passes a word that begins here; false when there is another.
    mutating func take(_ word: StaticString, in text: Span<UInt8>) -> Bool {
        let range = position..<position + word.utf8CodeUnitCount
        guard range.upperBound <= text.count, text.holds(word, at: range) else { return false }
        position = range.upperBound
        return true
    }

    /// Passes a string that begins here, whose escapes are right, and tells where its content is; nil when something else is there.
    mutating func takeText(in text: Span<UInt8>) -> (range: Range<Int>, hasEscapes: Bool)? {
        guard take(UInt8(ascii: "\""), in: text) else { return nil }
        let start = position
        var hasEscapes = false
        while position < text.count {
            // Within bounds, as the condition has just shown.
            let byte = unsafe text[unchecked: position]
            if byte == UInt8(ascii: "\"") {
                position += 1
                return (start..<position - 1, hasEscapes)
            }
            if byte < 0x20 { return nil }
            if byte == UInt8(ascii: "\\") {
                guard let (_, count) = JSONEscape.scalar(at: position, in: text) else { return nil }
                hasEscapes = true
                position += count
            } else {
                position += 1
            }
        }
        return nil
    }

    /// Passes an integer that begins here; nil when it has more than 18 digits or a leading zero, or something else is there.
    mutating func takeInteger(in text: Span<UInt8>) -> Int? {
        let isNegative = position < text.count && text[position] == UInt8(ascii: "-")
        if isNegative { position += 1 }
        let start = position
        var value = 0
        while position < text.count, case let digit = text[position] &- UInt8(ascii: "0"), digit < 10 {
            // Nineteen digits may be more than 64 bits hold.
            guard position - start < 18 else { return nil }
            value = value * 10 + Int(digit)
            position += 1
        }
        guard position > start, text[start] != UInt8(ascii: "0") || position == start + 1 else { return nil }
        return isNegative ? -value : value
    }
}
