/// Reads tokens one after the other, for `PlainObject` and `TapeScanner`; the text is passed to each call and is the same in all.
struct PlainScanner {
    var position = 0

    /// Passes white space and then `byte`; false, having passed no more than white space, when something else is there.
    mutating func take(_ byte: UInt8, in text: Span<UInt8>) -> Bool {
        passWhiteSpace(in: text)
        guard position < text.count, text[position] == byte else { return false }
        position += 1
        return true
    }

    /// Passes white space and a string without escapes, and tells where its content is; nil when something else is there.
    mutating func takeString(in text: Span<UInt8>) -> Range<Int>? {
        guard take(UInt8(ascii: "\""), in: text) else { return nil }
        let start = position
        while position < text.count {
            // Within bounds, as the condition has just shown.
            let byte = unsafe text[unchecked: position]
            if byte == UInt8(ascii: "\"") {
                position += 1
                return start..<position - 1
            }
            if byte < 0x20 || byte == UInt8(ascii: "\\") { return nil }
            position += 1
        }
        return nil
    }

    /// Passes white space; whether nothing is left then.
    mutating func isAtEnd(of text: Span<UInt8>) -> Bool {
        passWhiteSpace(in: text)
        return position == text.count
    }

    /// White space as RFC 8259 section 2 has it.
    mutating func passWhiteSpace(in text: Span<UInt8>) {
        while position < text.count {
            switch text[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return
            }
        }
    }
}

extension Span<UInt8> {
    /// Whether two ranges hold the same bytes.
    func areEqual(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
        guard left.count == right.count else { return false }
        for offset in 0..<left.count where self[left.lowerBound + offset] != self[right.lowerBound + offset] {
            return false
        }
        return true
    }

    /// Whether a range holds exactly the bytes of `name`.
    func holds(_ name: StaticString, at range: Range<Int>) -> Bool {
        guard range.count == name.utf8CodeUnitCount else { return false }
        for offset in 0..<range.count where unsafe self[range.lowerBound + offset] != name.utf8Start[offset] {
            return false
        }
        return true
    }
}
