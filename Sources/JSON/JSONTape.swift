/// Where the values of a JSON text are, in the order of the text: what `JSONElement` reads, without a tree.
final class JSONTape: Sendable {
    /// One value, or the key of one.
    struct Entry {
        /// What it is.
        var kind: JSONElement.Kind
        /// Whether a string's bytes still have their escapes.
        var hasEscapes = false
        /// Where a string's bytes begin; an integer's value; 1 for true.
        var start = 0
        /// How many bytes a string has.
        var count = 0
        /// The index of the entry that follows it and everything in it. In an object keys and values alternate.
        var end: Int
    }

    /// What the strings are in: the text itself, or their bytes alone.
    let bytes: [UInt8]
    /// The first is the root.
    let entries: [Entry]

    private init(bytes: [UInt8], entries: [Entry]) {
        self.bytes = bytes
        self.entries = entries
    }

    /// Reads a text by the rules of `JSONDocument`; jansson has the last word on everything that is not plain.
    static func parsed(_ text: Span<UInt8>, maximumDepth: Int) throws(JSONError) -> JSONTape {
        if let entries = TapeScanner.entries(of: text, maximumDepth: maximumDepth) {
            return JSONTape(bytes: Array(copying: text), entries: entries)
        }
        let document = try JSONDocument(parsing: text, maximumDepth: maximumDepth)
        return document.tape()
    }

    /// Reads a text that is plain; nil when jansson has to decide. Such a tape has no real numbers.
    static func plain(_ text: [UInt8], maximumDepth: Int) -> JSONTape? {
        TapeScanner.entries(of: text.span, maximumDepth: maximumDepth).map { JSONTape(bytes: text, entries: $0) }
    }

    /// Takes over what was copied from jansson.
    convenience init(_ copy: TapeCopy) {
        self.init(bytes: copy.bytes, entries: copy.entries)
    }
}

extension [UInt8] {
    fileprivate init(copying text: Span<UInt8>) {
        unsafe self = text.withUnsafeBufferPointer { unsafe Array($0) }
    }
}
