/// A JSON object with only plain strings, recognised without allocation, like nearly every authorization request.
///
/// It recognises a subset of the objects that `JSONDocument` accepts: no escapes, no other values, no repeated names, few members. For any
/// other text there is no `PlainObject`, and `JSONElement` decides.
package struct PlainObject {
    private static var maximumMembers: Int { 8 }

    private var names = InlineArray<8, Range<Int>>(repeating: 0..<0)
    private var values = InlineArray<8, Range<Int>>(repeating: 0..<0)
    private var count = 0

    /// Recognises the object in `text`; nil when `text` is anything else, valid or not.
    package init?(_ text: Span<UInt8>) {
        guard (try? UTF8Span(validating: text)) != nil else { return nil }
        var scanner = PlainScanner()
        guard scanner.take(UInt8(ascii: "{"), in: text) else { return nil }
        repeat {
            guard count < Self.maximumMembers, let name = scanner.takeString(in: text), scanner.take(UInt8(ascii: ":"), in: text),
                let value = scanner.takeString(in: text)
            else { return nil }
            for earlier in 0..<count where text.areEqual(names[earlier], name) { return nil }
            (names[count], values[count]) = (name, value)
            count += 1
        } while scanner.take(UInt8(ascii: ","), in: text)
        guard scanner.take(UInt8(ascii: "}"), in: text), scanner.isAtEnd(of: text) else { return nil }
    }

    /// Returns the range of a member's value in the text; nil when there is no member with that name.
    /// - Parameter text: the recognised text.
    package func value(of name: StaticString, in text: Span<UInt8>) -> Range<Int>? {
        for index in 0..<count where text.holds(name, at: names[index]) {
            return values[index]
        }
        return nil
    }
}

/// Reads tokens one after the other, for `PlainObject` and `TapeScanner`; the same text is passed to each call.
struct PlainScanner {
    var position = 0

    /// Skips white space and then `byte`; false, having skipped no more than white space, when another byte follows.
    mutating func take(_ byte: UInt8, in text: Span<UInt8>) -> Bool {
        passWhiteSpace(in: text)
        guard position < text.count, text[position] == byte else { return false }
        position += 1
        return true
    }

    /// Skips white space and a string without escapes, and returns the range of its contents; nil when something else follows.
    mutating func takeString(in text: Span<UInt8>) -> Range<Int>? {
        guard take(UInt8(ascii: "\""), in: text) else { return nil }
        let start = position
        passPlainText(in: text)
        guard position < text.count, text[position] == UInt8(ascii: "\"") else { return nil }
        position += 1
        return start..<position - 1
    }

    /// Skips the plain part of a string: up to a quotation mark, a backslash, a control character or the end.
    fileprivate mutating func passPlainText(in text: Span<UInt8>) {
        while position + 8 <= text.count {
            // Within bounds, because of the loop's condition.
            let eight = unsafe text.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: position, as: UInt64.self)
            let special = Self.special(in: UInt64(littleEndian: eight))
            position += special.trailingZeroBitCount / 8
            if special != 0 { return }
        }
        while position < text.count {
            switch text[position] {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), 0..<0x20: return
            default: position += 1
            }
        }
    }

    /// Marks the bytes of eight that a string cannot contain unescaped, in their highest bits. The lowest mark is correct; a borrow may set
    /// marks above it (graphics.stanford.edu/~seander/bithacks.html, "Determine if a word has a byte less than n").
    private static func special(in eight: UInt64) -> UInt64 {
        let (ones, highest): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
        let quotation = eight ^ (ones &* UInt64(UInt8(ascii: "\"")))
        let backslash = eight ^ (ones &* UInt64(UInt8(ascii: "\\")))
        let zeros = (quotation &- ones) & ~quotation | (backslash &- ones) & ~backslash
        return (zeros | (eight &- ones &* 0x20) & ~eight) & highest
    }

    /// Skips white space; returns whether nothing is left then.
    mutating func isAtEnd(of text: Span<UInt8>) -> Bool {
        passWhiteSpace(in: text)
        return position == text.count
    }

    /// White space as in RFC 8259 section 2.
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
    /// Whether two ranges contain the same bytes.
    func areEqual(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
        guard left.count == right.count else { return false }
        for offset in 0..<left.count where self[left.lowerBound + offset] != self[right.lowerBound + offset] {
            return false
        }
        return true
    }

    /// Whether a range contains exactly the bytes of `name`.
    func holds(_ name: StaticString, at range: Range<Int>) -> Bool {
        guard range.count == name.utf8CodeUnitCount else { return false }
        for offset in 0..<range.count where unsafe self[range.lowerBound + offset] != name.utf8Start[offset] {
            return false
        }
        return true
    }
}

/// The tokens that a `TapeScanner` skips in addition to plain strings.
extension PlainScanner {
    /// Skips white space, and returns the next byte; nil at the end.
    mutating func next(in text: Span<UInt8>) -> UInt8? {
        passWhiteSpace(in: text)
        return position < text.count ? text[position] : nil
    }

    /// Skips a word that begins here; false when there is another.
    mutating func take(_ word: StaticString, in text: Span<UInt8>) -> Bool {
        let range = position..<position + word.utf8CodeUnitCount
        guard range.upperBound <= text.count, text.holds(word, at: range) else { return false }
        position = range.upperBound
        return true
    }

    /// Skips a string that begins here, with valid escapes, and returns the range of its contents; nil when something else follows.
    mutating func takeText(in text: Span<UInt8>) -> (range: Range<Int>, hasEscapes: Bool, isUnreadable: Bool)? {
        guard take(UInt8(ascii: "\""), in: text) else { return nil }
        let start = position
        var (hasEscapes, isUnreadable) = (false, false)
        while true {
            passPlainText(in: text)
            guard position < text.count else { return nil }
            switch text[position] {
            case UInt8(ascii: "\""):
                position += 1
                return (start..<position - 1, hasEscapes, isUnreadable)
            case UInt8(ascii: "\\"):
                guard let (count, isCharacter) = JSONEscape.extent(at: position, in: text) else { return nil }
                hasEscapes = true
                if !isCharacter { isUnreadable = true }
                position += count
            default: return nil
            }
        }
    }

    /// Skips a number that begins here; nil when something else follows.
    mutating func takeNumber(in text: Span<UInt8>) -> ScannedNumber? {
        let isNegative = passByte(UInt8(ascii: "-"), in: text)
        let start = position
        // The lower bound has one more than the upper one.
        var value: Int? = 0
        let digits = passDigits(in: text) { digit in
            let (product, overflow) = (value ?? 0).multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.subtractingReportingOverflow(digit)
            value = value == nil || overflow || carry ? nil : sum
        }
        guard digits == 1 || digits > 1 && text[start] != UInt8(ascii: "0") else { return nil }
        var (isInteger, exponentDigits) = (true, 0)
        if passByte(UInt8(ascii: "."), in: text) {
            isInteger = false
            guard passDigits(in: text, { _ in }) > 0 else { return nil }
        }
        if passByte(UInt8(ascii: "e"), in: text) || passByte(UInt8(ascii: "E"), in: text) {
            isInteger = false
            if !passByte(UInt8(ascii: "+"), in: text) { _ = passByte(UInt8(ascii: "-"), in: text) }
            exponentDigits = passDigits(in: text, { _ in })
            guard exponentDigits > 0 else { return nil }
        }
        guard isInteger else { return .real(exponentDigits: exponentDigits) }
        guard let value, isNegative || value > .min else { return .large }
        return .integer(isNegative ? value : -value)
    }

    private mutating func passByte(_ byte: UInt8, in text: Span<UInt8>) -> Bool {
        guard position < text.count, text[position] == byte else { return false }
        position += 1
        return true
    }

    private mutating func passDigits(in text: Span<UInt8>, _ use: (Int) -> Void) -> Int {
        let start = position
        while position < text.count, case let digit = text[position] &- UInt8(ascii: "0"), digit < 10 {
            use(Int(digit))
            position += 1
        }
        return position - start
    }
}

enum ScannedNumber {
    /// An integer within 64 bits.
    case integer(Int)
    /// An integer beyond 64 bits.
    case large
    /// One with a fraction or an exponent, with the count of the exponent's digits, 0 without an exponent.
    case real(exponentDigits: Int)
}
