/// The keys of one object while it is scanned, which must differ: few are compared with each other, many are looked up.
struct ObjectKeys {
    private let object: Int
    private let few: Int
    private var count = 0
    private var seen: Set<[UInt8]>?

    /// - Parameters:
    ///   - object: the index of the object's entry.
    ///   - few: how many keys are compared with each other.
    init(object: Int, few: Int) {
        self.object = object
        self.few = few
    }

    /// Takes the last entry, which is a key of the object.
    /// - Returns: false if the object has it already.
    mutating func insertLast(of entries: [JSONTape.Entry], in text: Span<UInt8>) -> Bool {
        count += 1
        let last = entries.count - 1
        if count <= few { return !hasEarlier(last, of: entries, in: text) }
        if seen == nil { seen = earlier(than: last, of: entries, in: text) }
        return seen?.insert(JSONEscape.bytes(of: entries[last], in: text)).inserted ?? true
    }

    private func hasEarlier(_ last: Int, of entries: [JSONTape.Entry], in text: Span<UInt8>) -> Bool {
        var key = object + 1
        while key < last {
            if Self.areEqual(entries[key], entries[last], in: text) { return true }
            // Over the key, and the value behind it.
            key = entries[key + 1].end
        }
        return false
    }

    private func earlier(than last: Int, of entries: [JSONTape.Entry], in text: Span<UInt8>) -> Set<[UInt8]> {
        var keys: Set<[UInt8]> = []
        var key = object + 1
        while key < last {
            keys.insert(JSONEscape.bytes(of: entries[key], in: text))
            key = entries[key + 1].end
        }
        return keys
    }

    private static func areEqual(_ left: JSONTape.Entry, _ right: JSONTape.Entry, in text: Span<UInt8>) -> Bool {
        if left.hasEscapes || right.hasEscapes { return JSONEscape.bytes(of: left, in: text) == JSONEscape.bytes(of: right, in: text) }
        return text.areEqual(left.start..<left.start + left.count, right.start..<right.start + right.count)
    }
}
