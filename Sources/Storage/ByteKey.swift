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
        for byte in text.utf8 { hasher.combine(byte) }
        // No UTF-8 has this byte, so it ends the text.
        hasher.combine(UInt8.max)
    }
}
