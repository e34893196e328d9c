extension JSONSyntaxScan {
    mutating func readString(_ bytes: Span<UInt8>, then next: Expectation) -> Bool {
        let start = index
        index += 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            if bytes[index] == UInt8(ascii: "\n") || bytes[index] == UInt8(ascii: "\r") { break }
            if let message = Self.hint(inString: bytes, at: index) {
                note(message, at: index)
                return false
            }
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else {
            note("the string that begins here lacks its closing quote", at: start)
            return false
        }
        index += 1
        expectation = opened.isEmpty ? .nothing : next
        return true
    }

    mutating func readWord(_ bytes: Span<UInt8>) -> Bool {
        let start = index
        var word: [UInt8] = []
        while index < bytes.count, Self.isLetter(bytes[index]) {
            word.append(bytes[index])
            index += 1
        }
        let words = ["true", "false", "null"]
        if !words.contains(where: { $0.utf8.elementsEqual(word) }) {
            let isUpper = words.contains { $0.utf8.elementsEqual(word.map { $0 | 0x20 }) }
            let other = JSONNumberHint.isSpecial(word) ? JSONNumberHint.special : "write text in double quotes"
            note(isUpper ? "true, false and null are written in small letters" : other, at: start)
            return false
        }
        expectation = opened.isEmpty ? .nothing : .commaOrEnd
        return true
    }

    mutating func readNumber(_ bytes: Span<UInt8>) -> Bool {
        let start = index
        while index < bytes.count, JSONNumberHint.isPart(bytes[index]) { index += 1 }
        expectation = opened.isEmpty ? .nothing : .commaOrEnd
        // jansson reports a character that cannot begin a value.
        guard index > start else { return false }
        guard let message = JSONNumberHint.message((start..<index).map { bytes[$0] }) else { return true }
        note(message, at: start)
        return false
    }

    /// Returns the error in a string at one of its bytes.
    private static func hint(inString bytes: Span<UInt8>, at index: Int) -> String? {
        switch bytes[index] {
        case 0: return "a NUL character, which no text has; remove it"
        case ..<0x20: return "a tab or another control character in a string; write \\t, or \\u with four hexadecimal digits"
        case UInt8(ascii: "\\") where index + 1 < bytes.count:
            if bytes[index + 1] == UInt8(ascii: "u") {
                let digits = (index + 2..<min(index + 6, bytes.count)).prefix { isHexadecimal(bytes[$0]) }
                return digits.count == 4 ? nil : "write four hexadecimal digits after \\u; a backslash is written as \\\\"
            }
            return "\"\\/bfnrt".utf8.contains(bytes[index + 1]) ? nil : "no escape of JSON; a backslash is written as \\\\"
        default: return nil
        }
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        JSONNumberHint.isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
    }
}

/// Number formats of other languages that JSON does not allow (RFC 8259 section 6).
enum JSONNumberHint {
    static let special = "JSON has neither infinity nor NaN; give a number"

    /// Returns the error in a number; nil for a valid number. The message quotes nothing, because the text may be a secret.
    static func message(_ token: [UInt8]) -> String? {
        if token.first == UInt8(ascii: "+") { return "a number has no + before it; remove it" }
        var rest = token.first == UInt8(ascii: "-") ? token.dropFirst() : token[...]
        if isSpecial(Array(rest)) { return special }
        if rest.first == UInt8(ascii: ".") { return "a digit is missing before the point" }
        guard let digit = rest.first, isDigit(digit) else { return "a digit is missing after the minus" }
        if digit == UInt8(ascii: "0"), let next = rest.dropFirst().first {
            if isDigit(next) { return "a number has no zeros before its first digit; remove them" }
            if "xob".utf8.contains(next | 0x20) { return "JSON has decimal numbers only; write it in decimal" }
        }
        takeDigits(&rest)
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            if takeDigits(&rest) == 0 { return "a digit is missing after the point" }
        }
        return takeExponent(&rest) && rest.isEmpty ? nil : message(after: rest)
    }

    /// Whether a byte is part of a number, or of a word in place of a number.
    static func isPart(_ byte: UInt8) -> Bool { isDigit(byte) || JSONSyntaxScan.isLetter(byte) || "+-.".utf8.contains(byte) }

    static func isSpecial(_ word: [UInt8]) -> Bool { ["NaN", "Infinity"].contains { $0.utf8.elementsEqual(word) } }

    static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func message(after rest: ArraySlice<UInt8>) -> String {
        switch rest.first {
        case UInt8(ascii: "_"): "a number has nothing between its digits; remove the _"
        case let byte? where JSONSyntaxScan.isLetter(byte): "a number has no letters after it; give it alone, without a unit"
        default: "write text in double quotes"
        }
    }

    /// - Returns: whether the exponent is complete or missing.
    private static func takeExponent(_ rest: inout ArraySlice<UInt8>) -> Bool {
        guard let sign = rest.first, sign | 0x20 == UInt8(ascii: "e") else { return true }
        var after = rest.dropFirst()
        if let sign = after.first, "+-".utf8.contains(sign) { after.removeFirst() }
        guard takeDigits(&after) > 0 else { return false }
        rest = after
        return true
    }

    @discardableResult private static func takeDigits(_ rest: inout ArraySlice<UInt8>) -> Int {
        let count = rest.prefix(while: isDigit).count
        rest = rest.dropFirst(count)
        return count
    }
}
