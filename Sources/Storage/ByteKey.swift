/// Text as a key: compared, ordered and hashed as UTF-8, because Swift's strings are equal when Unicode calls them so.
struct ByteKey: Hashable, Comparable, Sendable {
    let text: String

    init(_ text: String) {
        self.text = text
    }

    static func == (left: ByteKey, right: ByteKey) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    static func < (left: ByteKey, right: ByteKey) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    func hash(into hasher: inout Hasher) {
        // Much faster than byte by byte; the same bytes are the same text to Swift as well, so their hashes are equal.
        hasher.combine(text)
    }
}
