internal import Bytes

/// The positions of the values of a JSON text, in order: the input of `JSONElement`, without a tree.
final class JSONTape: Sendable {
    struct Entry {
        var kind: JSONElement.Kind
        /// Whether a string's bytes still have their escapes.
        var hasEscapes = false
        /// Whether it can be skipped, but not read: a string with an escape that encodes no character, half of a surrogate pair, or a
        /// number that is out of range.
        var isUnreadable = false
        /// The start of the bytes of a string or a real number; an integer's value; 1 for true.
        var start = 0
        /// The length of a string or a real number in bytes.
        var count = 0
        /// The index of the entry that follows it and everything in it. In an object keys and values alternate.
        var end: Int
    }

    let bytes: [UInt8]
    /// The first is the root.
    let entries: [Entry]

    private init(bytes: [UInt8], entries: [Entry]) {
        self.bytes = bytes
        self.entries = entries
    }

    /// Reads a text by the rules of `JSONElement`.
    /// - Parameter maximumValues: the maximum number of values and keys.
    static func parsed(_ text: Span<UInt8>, maximumDepth: Int, maximumValues: Int = .max) throws(JSONError) -> JSONTape {
        var scanner = TapeScanner(maximumValues: maximumValues)
        if let entries = scanner.entries(of: text, maximumDepth: maximumDepth) {
            return JSONTape(bytes: Array(copying: text), entries: entries)
        }
        let refusal = scanner.refusal(of: text)
        throw refusal.reason == .tooManyValues ? refusal : explanation(of: refusal, in: text, maximumDepth: maximumDepth)
    }

    /// Reads a text by the rules of `JSONDocument`, so that all values can be copied; nil when it breaks one.
    static func strict(_ text: [UInt8], maximumDepth: Int) -> JSONTape? {
        var scanner = TapeScanner()
        guard let entries = scanner.entries(of: text.span, maximumDepth: maximumDepth), scanner.isStrict else { return nil }
        return JSONTape(bytes: text, entries: entries)
    }

    /// Returns why `strict` rejects a text.
    static func refusal(of text: Span<UInt8>, maximumDepth: Int) -> JSONError {
        if let error = Jansson.error(in: text, maximumDepth: maximumDepth) { return error }
        var scanner = TapeScanner()
        _ = scanner.entries(of: text, maximumDepth: maximumDepth)
        return scanner.refusal(of: text)
    }

    /// jansson reports mistakes more precisely than the scanner, unless it fails at text that the scanner has skipped.
    private static func explanation(of refusal: JSONError, in text: Span<UInt8>, maximumDepth: Int) -> JSONError {
        guard let error = Jansson.error(in: text, maximumDepth: maximumDepth), error.reason != .numberOutOfRange, error.reason != .nulInKey
        else { return refusal }
        return error
    }
}

/// Records the values of a JSON text while skipping them, without a tree.
///
/// It accepts the texts that `JSONDocument` accepts, and in addition values that fail only when they are read: numbers of any size,
/// `\u0000` in keys and halves of surrogate pairs.
struct TapeScanner {
    // In an object with more members, keys are looked up instead of compared one by one.
    private static let fewMembers = 24
    // A number that has no more of these is below 10^299, and the largest `Double` is above 10^308.
    private static let (defaultNumberBytes, defaultExponentDigits) = (200, 2)
    // The estimated number of bytes per value or key: a low estimate reserves unused memory, a high one causes the entries to be copied as
    // they grow.
    private static let defaultBytes = 10

    private var scanner = PlainScanner()
    private var entries: [JSONTape.Entry] = []
    private let maximumValues: Int
    private var reason: JSONError.Reason?
    /// Whether the text satisfies the rules of `JSONDocument`, so that every value can be read.
    private(set) var isStrict = true

    /// - Parameter maximumValues: the maximum number of values and keys.
    init(maximumValues: Int = .max) {
        self.maximumValues = maximumValues
    }

    /// Reads a text; nil if it is rejected.
    mutating func entries(of text: Span<UInt8>, maximumDepth: Int) -> [JSONTape.Entry]? {
        entries.reserveCapacity(min(maximumValues, 1 + text.count / Self.defaultBytes))
        guard takeValue(in: text, depth: maximumDepth) else { return nil }
        guard scanner.isAtEnd(of: text) else {
            reason = .trailingBytes
            return nil
        }
        // After the values are counted, so that no text exceeds the maximum, valid or not.
        guard (try? UTF8Span(validating: text)) != nil else {
            reason = .invalidUTF8
            return nil
        }
        return entries
    }

    /// Returns the cause of the rejection and its position.
    func refusal(of text: Span<UInt8>) -> JSONError {
        let position = min(scanner.position, text.count)
        return JSONError(reason: reason ?? (position == text.count ? .endOfInput : .syntax), endingAt: position, of: text)
    }

    /// Skips a value, in which arrays and objects are nested at most `depth` deep.
    private mutating func takeValue(in text: Span<UInt8>, depth: Int) -> Bool {
        guard entries.count < maximumValues else { return refuse(.tooManyValues) }
        switch scanner.next(in: text) {
        case UInt8(ascii: "\""): return takeString(in: text)
        case UInt8(ascii: "{"): return depth > 0 ? takeObject(in: text, depth: depth - 1) : refuse(.tooDeep)
        case UInt8(ascii: "["): return depth > 0 ? takeArray(in: text, depth: depth - 1) : refuse(.tooDeep)
        case UInt8(ascii: "t"): return takeWord("true", kind: .bool, value: 1, in: text)
        case UInt8(ascii: "f"): return takeWord("false", kind: .bool, value: 0, in: text)
        case UInt8(ascii: "n"): return takeWord("null", kind: .null, value: 0, in: text)
        default: return takeNumber(in: text)
        }
    }

    private mutating func takeObject(in text: Span<UInt8>, depth: Int) -> Bool {
        let index = begin(.object)
        guard scanner.take(UInt8(ascii: "{"), in: text) else { return false }
        if !scanner.take(UInt8(ascii: "}"), in: text) {
            var keys = ObjectKeys(object: index, few: Self.fewMembers)
            repeat {
                guard takeKey(in: text) else { return false }
                guard keys.insertLast(of: entries, in: text) else { return refuse(.duplicateKey) }
                guard scanner.take(UInt8(ascii: ":"), in: text), takeValue(in: text, depth: depth) else { return false }
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

    private mutating func takeKey(in text: Span<UInt8>) -> Bool {
        scanner.passWhiteSpace(in: text)
        guard takeString(in: text) else { return false }
        let key = entries[entries.count - 1]
        if key.hasEscapes, JSONEscape.bytes(of: key, in: text).contains(0) { isStrict = false }
        return true
    }

    private mutating func takeString(in text: Span<UInt8>) -> Bool {
        guard let found = scanner.takeText(in: text) else { return false }
        append(.string, start: found.range.lowerBound, count: found.range.count)
        entries[entries.count - 1].hasEscapes = found.hasEscapes
        entries[entries.count - 1].isUnreadable = found.isUnreadable
        if found.isUnreadable { isStrict = false }
        return true
    }

    private mutating func takeWord(_ word: StaticString, kind: JSONElement.Kind, value: Int, in text: Span<UInt8>) -> Bool {
        guard scanner.take(word, in: text) else { return false }
        append(kind, start: value)
        return true
    }

    private mutating func takeNumber(in text: Span<UInt8>) -> Bool {
        let start = scanner.position
        switch scanner.takeNumber(in: text) {
        case nil: return false
        case .integer(let value): append(.integer, start: value)
        case .large: appendReal(start, isUnreadable: true)
        case .real(let exponentDigits):
            let range = start..<scanner.position
            let isUnusual = exponentDigits > Self.defaultExponentDigits || range.count > Self.defaultNumberBytes
            appendReal(start, isUnreadable: isUnusual && !JSONNumber(scanned: range, of: text).isFinite)
        }
        return true
    }

    private mutating func appendReal(_ start: Int, isUnreadable: Bool) {
        append(.real, start: start, count: scanner.position - start)
        entries[entries.count - 1].isUnreadable = isUnreadable
        if isUnreadable { isStrict = false }
    }

    private mutating func append(_ kind: JSONElement.Kind, start: Int = 0, count: Int = 0) {
        entries.append(JSONTape.Entry(kind: kind, start: start, count: count, end: entries.count + 1))
    }

    private mutating func begin(_ kind: JSONElement.Kind) -> Int {
        append(kind)
        return entries.count - 1
    }

    private mutating func refuse(_ reason: JSONError.Reason) -> Bool {
        self.reason = reason
        return false
    }
}
