internal import Bytes

/// The members of a JSON object in order. Keys are unique as UTF-8 bytes.
package struct JSONObject: Sendable {
    package struct Member: Sendable {
        package let key: String
        package let value: JSONValue
    }

    /// The members in the order of the text or of insertion.
    package private(set) var members: [Member]

    package init() {
        members = []
    }

    /// Creates an object from members whose keys are known to be unique. A check would take quadratic time for untrusted input.
    init(distinct members: [Member]) {
        self.members = members
    }

    /// Creates an object with these members in order. Traps on a repeated key.
    package init(_ members: [(String, JSONValue)]) {
        self.init()
        for (key, value) in members { append(value, forKey: key) }
    }

    /// Returns the object with transformed values.
    /// - Parameter transform: receives the index and the member, and returns the new value.
    package func mapValues(_ transform: (_ index: Int, _ member: Member) -> JSONValue) -> JSONObject {
        JSONObject(distinct: members.enumerated().map { Member(key: $1.key, value: transform($0, $1)) })
    }

    /// Finds the value of a key by its UTF-8 bytes. The time is proportional to the number of members.
    package subscript(key: String) -> JSONValue? {
        members.first { $0.key.hasSameBytes(as: key) }?.value
    }

    /// Appends a member. Traps if the key already exists.
    package mutating func append(_ value: JSONValue, forKey key: String) {
        precondition(self[key] == nil, "duplicate key in a JSON object")
        members.append(Member(key: key, value: value))
    }
}

extension JSONObject: Equatable {
    /// Compares members in order, and keys as bytes.
    package static func == (left: Self, right: Self) -> Bool {
        left.members.elementsEqual(right.members) { $0.key.hasSameBytes(as: $1.key) && $0.value == $1.value }
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Creates an object with the members of the literal in order. Traps on a repeated key.
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init()
        for (key, value) in elements {
            append(value, forKey: key)
        }
    }
}

/// Detects duplicate keys of one object during a scan. The first keys are compared with each other; further keys are looked up in a set.
struct ObjectKeys {
    private let object: Int
    private let few: Int
    private var count = 0
    private var seen: Set<[UInt8]>?
    /// One bit for each shape of an earlier key. Keys of different shapes differ, so that few comparisons are needed.
    private var shapes: UInt64 = 0

    /// - Parameters:
    ///   - object: the index of the object's entry.
    ///   - few: the number of keys that are compared with each other.
    init(object: Int, few: Int) {
        self.object = object
        self.few = few
    }

    /// Records the last entry, which is a key of the object.
    /// - Returns: false if the object already has this key.
    mutating func insertLast(of entries: [JSONTape.Entry], in text: Span<UInt8>) -> Bool {
        count += 1
        let last = entries.count - 1
        if count <= few { return takeShape(of: entries[last], in: text) || !hasEarlier(last, of: entries, in: text) }
        if seen == nil { seen = earlier(than: last, of: entries, in: text) }
        return seen?.insert(JSONEscape.bytes(of: entries[last], in: text)).inserted ?? true
    }

    /// Records the shape of a key.
    /// - Returns: whether no earlier key can be equal.
    private mutating func takeShape(of key: JSONTape.Entry, in text: Span<UInt8>) -> Bool {
        // The decoded length of a key with escapes differs from its text, so such a key is compared with all others.
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
            // Skips the key and its value.
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
