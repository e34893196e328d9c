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
    mutating func takeText(in text: Span<UInt8>) -> (range: Range<Int>, hasEscapes: Bool, isUnreadable: Bool)? {
        guard take(UInt8(ascii: "\""), in: text) else { return nil }
        let start = position
        var (hasEscapes, isUnreadable) = (false, false)
        while position < text.count {
            // Within bounds, as the condition has just shown.
            let byte = unsafe text[unchecked: position]
            if byte == UInt8(ascii: "\"") {
                position += 1
                return (start..<position - 1, hasEscapes, isUnreadable)
            }
            if byte < 0x20 { return nil }
            if byte == UInt8(ascii: "\\") {
                guard let (count, isCharacter) = JSONEscape.extent(at: position, in: text) else { return nil }
                hasEscapes = true
                if !isCharacter { isUnreadable = true }
                position += count
            } else {
                position += 1
            }
        }
        return nil
    }

    /// Passes a number that begins here; nil when something else is there.
    mutating func takeNumber(in text: Span<UInt8>) -> ScannedNumber? {
        let isNegative = passByte(UInt8(ascii: "-"), in: text)
        let start = position
        // Below zero, where there is one more.
        var value: Int? = 0
        let digits = passDigits(in: text) { digit in
            let (product, overflow) = (value ?? 0).multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.subtractingReportingOverflow(digit)
            value = value == nil || overflow || carry ? nil : sum
        }
        guard digits == 1 || digits > 1 && text[start] != UInt8(ascii: "0") else { return nil }
        var isInteger = true
        if passByte(UInt8(ascii: "."), in: text) {
            isInteger = false
            guard passDigits(in: text, { _ in }) > 0 else { return nil }
        }
        if passByte(UInt8(ascii: "e"), in: text) || passByte(UInt8(ascii: "E"), in: text) {
            isInteger = false
            if !passByte(UInt8(ascii: "+"), in: text) { _ = passByte(UInt8(ascii: "-"), in: text) }
            guard passDigits(in: text, { _ in }) > 0 else { return nil }
        }
        guard isInteger, let value, isNegative || value > .min else { return .other }
        return .integer(isNegative ? value : -value)
    }

    private mutating func passByte(_ byte: UInt8, in text: Span<UInt8>) -> Bool {
        guard position < text.count, text[position] == byte else { return false }
        position += 1
        return true
    }

    /// - Returns: how many there were.
    private mutating func passDigits(in text: Span<UInt8>, _ use: (Int) -> Void) -> Int {
        let start = position
        while position < text.count, case let digit = text[position] &- UInt8(ascii: "0"), digit < 10 {
            use(Int(digit))
            position += 1
        }
        return position - start
    }
}

/// A number of a JSON text.
enum ScannedNumber {
    /// An integer within 64 bits.
    case integer(Int)
    /// Any other.
    case other
}
