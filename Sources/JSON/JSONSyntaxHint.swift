/// A common mistake in handwritten JSON, with its position.
///
/// jansson decides whether a text is valid JSON. This type looks for the cause in a text that jansson has rejected, and may find none. Its
/// messages quote only punctuation of the text.
package struct JSONSyntaxHint: Sendable, Equatable {
    package let message: String
    package let place: JSONPlace

    package static func first(in bytes: Span<UInt8>) -> JSONSyntaxHint? {
        var scan = JSONSyntaxScan()
        while scan.hint == nil, scan.step(bytes) {}
        return scan.hint.map { JSONSyntaxHint(message: $0.message, place: JSONPlace(of: $0.index, in: bytes)) }
    }
}

/// Reads a text token by token, and keeps track of the tokens that may follow.
struct JSONSyntaxScan {
    enum Expectation {
        case value, firstValue, key, firstKey, colon, commaOrEnd, nothing
    }

    private(set) var hint: (message: String, index: Int)?
    var expectation = Expectation.value
    private(set) var opened: [(bracket: UInt8, index: Int)] = []
    private var lastComma = 0
    var index = 0

    /// Reads one token.
    /// - Returns: whether another token may follow.
    mutating func step(_ bytes: Span<UInt8>) -> Bool {
        while index < bytes.count, Self.isSpace(bytes[index]) { index += 1 }
        guard index < bytes.count else {
            if let last = opened.last { note("this \(Character(Unicode.Scalar(last.bracket))) is never closed", at: last.index) }
            return false
        }
        if expectation == .nothing { return false }
        if let message = foreign(bytes) {
            note(message, at: index)
            return false
        }
        switch expectation {
        case .value, .firstValue: return readValue(bytes)
        case .key, .firstKey: return readKey(bytes)
        case .colon: return readColon(bytes)
        case .commaOrEnd: return readCommaOrEnd(bytes)
        case .nothing: return false
        }
    }

    /// Detects characters that similar languages allow outside of strings, but JSON does not.
    private func foreign(_ bytes: Span<UInt8>) -> String? {
        func byte(_ offset: Int) -> UInt8 { index + offset < bytes.count ? bytes[index + offset] : 0 }
        switch byte(0) {
        case 0: return "a NUL character, which no text has; remove it"
        case 0xEF where byte(1) == 0xBB && byte(2) == 0xBF:
            return index == 0 ? "starts with a byte order mark; save it as UTF-8 without one" : nil
        case let mark where "<=>|".utf8.contains(mark) && (1..<7).allSatisfy({ byte($0) == mark }):
            return "a mark of a merge conflict; keep one of the two versions, and remove the marks"
        case 0xC2 where byte(1) == 0xA0, 0xE2 where byte(1) == 0x80 && ((0x80...0x8B).contains(byte(2)) || byte(2) == 0xAF),
            0xE3 where byte(1) == 0x80 && byte(2) == 0x80:
            return "a space that JSON does not have, such as a no-break space; type a plain one in its place"
        case UInt8(ascii: "#"), UInt8(ascii: "/"): return "JSON has no comments; remove this one"
        case UInt8(ascii: "'"), UInt8(ascii: "`"): return "write strings and names in double quotes"
        case 0xE2 where byte(1) == 0x80 && (0x98...0x9F).contains(byte(2)), 0xC2 where byte(1) == 0xAB || byte(1) == 0xBB:
            return "a typographic quote; JSON takes plain double quotes only"
        default: return nil
        }
    }

    private mutating func readValue(_ bytes: Span<UInt8>) -> Bool {
        switch bytes[index] {
        case UInt8(ascii: "\""): return readString(bytes, then: .commaOrEnd)
        case UInt8(ascii: "{"): return open(.firstKey, bytes)
        case UInt8(ascii: "["): return open(.firstValue, bytes)
        case UInt8(ascii: "]") where expectation == .firstValue: return close()
        case UInt8(ascii: "]") where opened.last?.bracket == UInt8(ascii: "["): return trailingComma(bytes)
        case UInt8(ascii: "}"), UInt8(ascii: ","), UInt8(ascii: "]"):
            note("a value is missing before this", at: index)
            return false
        case let byte where Self.isLetter(byte): return readWord(bytes)
        default: return readNumber(bytes)
        }
    }

    private mutating func readKey(_ bytes: Span<UInt8>) -> Bool {
        switch bytes[index] {
        case UInt8(ascii: "\""): return readString(bytes, then: .colon)
        case UInt8(ascii: "}") where expectation == .firstKey: return close()
        case UInt8(ascii: "}"): return trailingComma(bytes)
        case UInt8(ascii: ","): note("a comma too many", at: index)
        case let byte where Self.isLetter(byte): note("write names in double quotes", at: index)
        default: note("expected a name in double quotes", at: index)
        }
        return false
    }

    private mutating func readColon(_ bytes: Span<UInt8>) -> Bool {
        guard bytes[index] == UInt8(ascii: ":") else {
            note("a colon is missing before this, between name and value", at: index)
            return false
        }
        index += 1
        expectation = .value
        return true
    }

    private mutating func readCommaOrEnd(_ bytes: Span<UInt8>) -> Bool {
        let isList = opened.last?.bracket == UInt8(ascii: "[")
        switch bytes[index] {
        case UInt8(ascii: ","):
            lastComma = index
            index += 1
            expectation = isList ? .value : .key
            return true
        case isList ? UInt8(ascii: "]") : UInt8(ascii: "}"): return close()
        case UInt8(ascii: "]"), UInt8(ascii: "}"): note("the bracket that is open here is \(isList ? "[" : "{")", at: index)
        default: note("a comma is missing before this", at: index)
        }
        return false
    }

    private mutating func open(_ next: Expectation, _ bytes: Span<UInt8>) -> Bool {
        opened.append((bytes[index], index))
        index += 1
        expectation = next
        return true
    }

    private mutating func close() -> Bool {
        opened.removeLast()
        index += 1
        expectation = opened.isEmpty ? .nothing : .commaOrEnd
        return true
    }

    private mutating func trailingComma(_ bytes: Span<UInt8>) -> Bool {
        note("a comma too many before \(Character(Unicode.Scalar(bytes[index]))); remove it", at: lastComma)
        return false
    }

    mutating func note(_ message: String, at index: Int) {
        hint = (message, index)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) && byte != 0x0B && byte != 0x0C }

    static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$")
    }
}
