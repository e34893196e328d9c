internal import Bytes

/// The members of a JSON object in their order, with keys that differ as bytes.
package struct JSONObject: Sendable {
    package struct Member: Sendable {
        package let key: String
        package let value: JSONValue
    }

    /// The members in the order of the text or of the calls.
    package private(set) var members: [Member]

    package init() {
        members = []
    }

    /// Takes members whose keys are known to differ: checking again would be quadratic in what a stranger sent.
    init(distinct members: [Member]) {
        self.members = members
    }

    /// Makes an object with these members in their order; a repeated key traps.
    package init(_ members: [(String, JSONValue)]) {
        self.init()
        for (key, value) in members { append(value, forKey: key) }
    }

    /// The same members with other values.
    /// - Parameter transform: takes a member and its index.
    package func mapValues(_ transform: (_ index: Int, _ member: Member) -> JSONValue) -> JSONObject {
        JSONObject(distinct: members.enumerated().map { Member(key: $1.key, value: transform($0, $1)) })
    }

    /// Finds the value of a key by its UTF-8 bytes; the cost grows with the number of members.
    package subscript(key: String) -> JSONValue? {
        members.first { $0.key.hasSameBytes(as: key) }?.value
    }

    /// Adds a member at the end; a key that is already there is a programmer's mistake and traps.
    package mutating func append(_ value: JSONValue, forKey key: String) {
        precondition(self[key] == nil, "duplicate key in a JSON object")
        members.append(Member(key: key, value: value))
    }
}

extension JSONObject: Equatable {
    /// Compares members in their order, keys as bytes.
    package static func == (left: Self, right: Self) -> Bool {
        left.members.elementsEqual(right.members) { $0.key.hasSameBytes(as: $1.key) && $0.value == $1.value }
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Makes an object with the members of the literal in its order; a repeated key traps.
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init()
        for (key, value) in elements {
            append(value, forKey: key)
        }
    }
}

/// The keys of one object while it is scanned, which must differ: few are compared with each other, many are looked up.
struct ObjectKeys {
    private let object: Int
    private let few: Int
    private var count = 0
    private var seen: Set<[UInt8]>?
    /// A bit for each shape that a key has had: keys of different shapes differ, so that hardly any are compared.
    private var shapes: UInt64 = 0

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
        if count <= few { return takeShape(of: entries[last], in: text) || !hasEarlier(last, of: entries, in: text) }
        if seen == nil { seen = earlier(than: last, of: entries, in: text) }
        return seen?.insert(JSONEscape.bytes(of: entries[last], in: text)).inserted ?? true
    }

    /// Notes a key's shape.
    /// - Returns: whether no earlier key can be the same.
    private mutating func takeShape(of key: JSONTape.Entry, in text: Span<UInt8>) -> Bool {
        // A key with escapes has another decoded length, so it is compared with all others.
        guard !key.hasEscapes, key.count > 0 else {
            shapes = .max
            return false
        }
        let bit: UInt64 = 1 << ((UInt64(text[key.start]) ^ (UInt64(key.count) << 2)) % 64)
        defer { shapes |= bit }
        return shapes & bit == 0
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
