internal import Bytes

/// The positions of the values in a JSON text, for edits that leave the rest of the text unchanged.
///
/// The tree takes about 100 bytes per value, so it is intended for files that people write.
package struct JSONSourceMap: Sendable {
    package struct Member: Sendable {
        /// The name without escapes.
        package let name: String
        /// The range of the name, including the quotes.
        package let nameRange: Range<Int>
        package let value: JSONSourceMap
    }

    /// The range of the value, from its first byte to its last.
    package let range: Range<Int>
    /// The members of an object in order; empty for any other value.
    package let members: [Member]
    /// The elements of an array in order; empty for any other value.
    package let elements: [JSONSourceMap]

    /// Reads a text, with arrays and objects nested at most `maximumDepth` deep; nil when it is not JSON.
    ///
    /// Detects fewer errors than `JSONDocument`, so parse the text with `JSONDocument` first.
    package init?(_ text: Span<UInt8>, maximumDepth: Int = JSONDocument.defaultDepth) {
        var scanner = PlainScanner()
        guard let root = Self.value(in: text, &scanner, depth: maximumDepth), scanner.isAtEnd(of: text) else { return nil }
        self = root
    }

    private init(range: Range<Int>, members: [Member] = [], elements: [JSONSourceMap] = []) {
        self.range = range
        self.members = members
        self.elements = elements
    }

    /// Returns the members of an object that end before the first error in the text; empty when the text is not an object.
    ///
    /// Detects fewer errors than `JSONDocument`, so parse the values with `JSONDocument`.
    package static func members(of text: Span<UInt8>) -> [Member] {
        var scanner = PlainScanner()
        return members(in: text, &scanner, depth: JSONDocument.defaultDepth - 1).members
    }

    /// Returns the value of a member; nil when it is missing.
    package subscript(name: String) -> JSONSourceMap? {
        members.first { $0.name.hasSameBytes(as: name) }?.value
    }

    private static func value(in text: Span<UInt8>, _ scanner: inout PlainScanner, depth: Int) -> JSONSourceMap? {
        guard let first = scanner.next(in: text) else { return nil }
        let start = scanner.position
        switch first {
        case UInt8(ascii: "{"): return depth > 0 ? object(in: text, &scanner, from: start, depth: depth - 1) : nil
        case UInt8(ascii: "["): return depth > 0 ? array(in: text, &scanner, from: start, depth: depth - 1) : nil
        case UInt8(ascii: "\""): guard scanner.takeText(in: text) != nil else { return nil }
        case UInt8(ascii: "t"): guard scanner.take("true", in: text) else { return nil }
        case UInt8(ascii: "f"): guard scanner.take("false", in: text) else { return nil }
        case UInt8(ascii: "n"): guard scanner.take("null", in: text) else { return nil }
        default: guard scanner.takeNumber(in: text) != nil else { return nil }
        }
        return JSONSourceMap(range: start..<scanner.position)
    }

    private static func object(in text: Span<UInt8>, _ scanner: inout PlainScanner, from start: Int, depth: Int) -> JSONSourceMap? {
        let (members, isWhole) = members(in: text, &scanner, depth: depth)
        return isWhole ? JSONSourceMap(range: start..<scanner.position, members: members) : nil
    }

    /// Reads an object up to its end, or to the first error.
    private static func members(
        in text: Span<UInt8>, _ scanner: inout PlainScanner, depth: Int
    ) -> (members: [Member], isWhole: Bool) {
        var members: [Member] = []
        guard scanner.take(UInt8(ascii: "{"), in: text) else { return ([], false) }
        if scanner.take(UInt8(ascii: "}"), in: text) { return ([], true) }
        repeat {
            scanner.passWhiteSpace(in: text)
            let nameStart = scanner.position
            guard let name = scanner.takeText(in: text) else { return (members, false) }
            let nameRange = nameStart..<scanner.position
            guard scanner.take(UInt8(ascii: ":"), in: text), let value = value(in: text, &scanner, depth: depth) else {
                return (members, false)
            }
            members.append(Member(name: self.name(name.range, in: text), nameRange: nameRange, value: value))
        } while scanner.take(UInt8(ascii: ","), in: text)
        return (members, scanner.take(UInt8(ascii: "}"), in: text))
    }

    private static func array(in text: Span<UInt8>, _ scanner: inout PlainScanner, from start: Int, depth: Int) -> JSONSourceMap? {
        var elements: [JSONSourceMap] = []
        guard scanner.take(UInt8(ascii: "["), in: text) else { return nil }
        if !scanner.take(UInt8(ascii: "]"), in: text) {
            repeat {
                guard let element = value(in: text, &scanner, depth: depth) else { return nil }
                elements.append(element)
            } while scanner.take(UInt8(ascii: ","), in: text)
            guard scanner.take(UInt8(ascii: "]"), in: text) else { return nil }
        }
        return JSONSourceMap(range: start..<scanner.position, elements: elements)
    }

    private static func name(_ range: Range<Int>, in text: Span<UInt8>) -> String {
        let entry = JSONTape.Entry(kind: .string, hasEscapes: true, start: range.lowerBound, count: range.count, end: 0)
        return String(decoding: JSONEscape.bytes(of: entry, in: text), as: UTF8.self)
    }
}
