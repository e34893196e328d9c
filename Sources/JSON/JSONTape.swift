/// Where the values of a JSON text are, in the order of the text: what `JSONElement` reads, without a tree.
final class JSONTape: Sendable {
    /// One value, or the key of one.
    struct Entry {
        /// What it is.
        var kind: JSONElement.Kind
        /// Whether a string's bytes still have their escapes.
        var hasEscapes = false
        /// Whether a string has an escape that stands for no character, half of a surrogate pair: it can be passed over, but not read.
        var isUnreadable = false
        /// Where a string's bytes begin; an integer's value; 1 for true.
        var start = 0
        /// How many bytes a string has.
        var count = 0
        /// The index of the entry that follows it and everything in it. In an object keys and values alternate.
        var end: Int
    }

    /// The text, in which the strings are.
    let bytes: [UInt8]
    /// The first is the root.
    let entries: [Entry]

    private init(bytes: [UInt8], entries: [Entry]) {
        self.bytes = bytes
        self.entries = entries
    }

    /// Reads a text by the rules of `JSONElement`.
    /// - Parameter mostValues: how many values and keys it may have.
    static func parsed(_ text: Span<UInt8>, maximumDepth: Int, mostValues: Int = .max) throws(JSONError) -> JSONTape {
        var scanner = TapeScanner(mostValues: mostValues)
        if let entries = scanner.entries(of: text, maximumDepth: maximumDepth) {
            return JSONTape(bytes: Array(copying: text), entries: entries)
        }
        let refusal = scanner.refusal(of: text)
        throw refusal.reason == .tooManyValues ? refusal : explanation(of: refusal, in: text, maximumDepth: maximumDepth)
    }

    /// Reads a text whose values can all be copied; nil if jansson has to decide.
    static func plain(_ text: [UInt8], maximumDepth: Int) -> JSONTape? {
        var scanner = TapeScanner()
        guard let entries = scanner.entries(of: text.span, maximumDepth: maximumDepth), scanner.isPlain else { return nil }
        return JSONTape(bytes: text, entries: entries)
    }

    /// jansson tells mistakes apart better than the scanner does, unless it stumbles over what the scanner has passed over.
    private static func explanation(of refusal: JSONError, in text: Span<UInt8>, maximumDepth: Int) -> JSONError {
        do throws(JSONError) {
            _ = try JSONDocument(parsing: text, maximumDepth: maximumDepth)
            return refusal
        } catch {
            return error.reason == .numberOutOfRange || error.reason == .nulInKey ? refusal : error
        }
    }
}

extension [UInt8] {
    fileprivate init(copying text: Span<UInt8>) {
        unsafe self = text.withUnsafeBufferPointer { unsafe Array($0) }
    }
}
