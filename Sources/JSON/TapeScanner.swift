/// Records the values of a plain JSON text while it passes them: what nearly every webhook is.
///
/// It recognises a part of what `JSONDocument` accepts, and only where both surely agree. No escapes in keys, few members in an object,
/// integers of at most 18 digits and no other numbers: for anything else there is no record, and jansson decides, errors included. Its tree
/// costs an allocation a value and five times as long.
struct TapeScanner {
    private static let mostMembers = 24
    private static let usualEntries = 64

    private var scanner = PlainScanner()
    private var entries: [JSONTape.Entry] = []

    /// Recognises a text; nil when it is anything else, right or wrong.
    static func entries(of text: Span<UInt8>, maximumDepth: Int) -> [JSONTape.Entry]? {
        guard (try? UTF8Span(validating: text)) != nil else { return nil }
        var recorder = TapeScanner()
        recorder.entries.reserveCapacity(usualEntries)
        guard recorder.takeValue(in: text, depth: maximumDepth), recorder.scanner.isAtEnd(of: text) else { return nil }
        return recorder.entries
    }

    /// Passes a value, in which arrays and objects are nested at most `depth` deep.
    private mutating func takeValue(in text: Span<UInt8>, depth: Int) -> Bool {
        switch scanner.next(in: text) {
        case UInt8(ascii: "\""): return takeString(in: text)
        case UInt8(ascii: "{"): return depth > 0 && takeObject(in: text, depth: depth - 1)
        case UInt8(ascii: "["): return depth > 0 && takeArray(in: text, depth: depth - 1)
        case UInt8(ascii: "t"): return takeWord("true", .bool, 1, in: text)
        case UInt8(ascii: "f"): return takeWord("false", .bool, 0, in: text)
        case UInt8(ascii: "n"): return takeWord("null", .null, 0, in: text)
        default: return takeInteger(in: text)
        }
    }

    private mutating func takeObject(in text: Span<UInt8>, depth: Int) -> Bool {
        let index = begin(.object)
        guard scanner.take(UInt8(ascii: "{"), in: text) else { return false }
        if !scanner.take(UInt8(ascii: "}"), in: text) {
            var members = 0
            repeat {
                guard members < Self.mostMembers, takeKey(of: index, in: text), scanner.take(UInt8(ascii: ":"), in: text),
                    takeValue(in: text, depth: depth)
                else { return false }
                members += 1
            } while scanner.take(UInt8(ascii: ","), in: text)
            guard scanner.take(UInt8(ascii: "}"), in: text) else { return false }
        }
        entries[index].end = entries.count
        return true
    }

    private mutating func takeArray(in text: Span<UInt8>, depth: Int) -> Bool {
        let index = begin(.array)
        guard scanner.take(UInt8(ascii: "["), in: text) else { return false }
        if !scanner.take(UInt8(ascii: "]"), in: text) {
            repeat {
                guard takeValue(in: text, depth: depth) else { return false }
            } while scanner.take(UInt8(ascii: ","), in: text)
            guard scanner.take(UInt8(ascii: "]"), in: text) else { return false }
        }
        entries[index].end = entries.count
        return true
    }

    /// Passes a key that the object, whose entry is at `object`, has not had.
    private mutating func takeKey(of object: Int, in text: Span<UInt8>) -> Bool {
        guard let range = scanner.takeString(in: text) else { return false }
        var earlier = object + 1
        while earlier < entries.count {
            let start = entries[earlier].start
            if text.areEqual(start..<start + entries[earlier].count, range) { return false }
            // Over the key, and the value behind it.
            earlier = entries[earlier + 1].end
        }
        append(.string, start: range.lowerBound, count: range.count)
        return true
    }

    private mutating func takeString(in text: Span<UInt8>) -> Bool {
        guard let (range, hasEscapes) = scanner.takeText(in: text) else { return false }
        append(.string, start: range.lowerBound, count: range.count, hasEscapes: hasEscapes)
        return true
    }

    private mutating func takeWord(_ word: StaticString, _ kind: JSONElement.Kind, _ value: Int, in text: Span<UInt8>) -> Bool {
        guard scanner.take(word, in: text) else { return false }
        append(kind, start: value)
        return true
    }

    private mutating func takeInteger(in text: Span<UInt8>) -> Bool {
        guard let integer = scanner.takeInteger(in: text) else { return false }
        append(.integer, start: integer)
        return true
    }

    private mutating func append(_ kind: JSONElement.Kind, start: Int, count: Int = 0, hasEscapes: Bool = false) {
        entries.append(JSONTape.Entry(kind: kind, hasEscapes: hasEscapes, start: start, count: count, end: entries.count + 1))
    }

    private mutating func begin(_ kind: JSONElement.Kind) -> Int {
        append(kind, start: 0)
        return entries.count - 1
    }
}
