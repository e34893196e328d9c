/// The members of a JSON object in their order, with keys that differ as bytes.
package struct JSONObject: Sendable {
    /// One member.
    package struct Member: Sendable {
        /// The key.
        package let key: String
        /// The value.
        package let value: JSONValue
    }

    /// The members in the order of the text or of the calls.
    package private(set) var members: [Member]

    /// Makes an empty object.
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

    /// Finds the value of a key by its UTF-8 bytes; the cost grows with the number of members.
    package subscript(key: String) -> JSONValue? {
        members.first { $0.key.utf8.elementsEqual(key.utf8) }?.value
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
        left.members.elementsEqual(right.members) { $0.key.utf8.elementsEqual($1.key.utf8) && $0.value == $1.value }
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
