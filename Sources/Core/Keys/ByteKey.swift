internal import Bytes

/// Text as a key: compared, ordered and hashed as UTF-8, because Swift's strings are equal when Unicode calls them so.
package struct ByteKey: Hashable, Comparable, Sendable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    /// Whether the bytes are the same.
    package static func == (left: ByteKey, right: ByteKey) -> Bool {
        left.text.hasSameBytes(as: right.text)
    }

    /// The order of the bytes.
    package static func < (left: ByteKey, right: ByteKey) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    /// Hashes the bytes, because callers choose many of these texts.
    package func hash(into hasher: inout Hasher) { hasher.combine(bytesOf: text) }
}

/// A digest of texts in 64 bits (FNV-1a), the same in every process and version. Whoever chooses the texts can make two with the same
/// digest.
package func shortDigest(of texts: String...) -> Int64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for text in texts {
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        // No UTF-8 has this byte, so two lists of texts never digest the same bytes.
        hash = (hash ^ 0xFF) &* 0x100_0000_01B3
    }
    return Int64(bitPattern: hash)
}
