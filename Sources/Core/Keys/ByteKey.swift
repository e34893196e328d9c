internal import Bytes

/// Text that is compared, ordered and hashed as UTF-8 bytes. Swift's `==` would treat canonically equivalent strings as equal.
package struct ByteKey: Hashable, Comparable, Sendable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package static func == (left: ByteKey, right: ByteKey) -> Bool {
        left.text.hasSameBytes(as: right.text)
    }

    package static func < (left: ByteKey, right: ByteKey) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    /// Hashes the bytes, because callers can choose many of these texts.
    package func hash(into hasher: inout Hasher) { hasher.combine(bytesOf: text) }
}

/// Returns a 64-bit digest of texts (FNV-1a), the same in every process and version. Callers that choose the texts can produce collisions.
package func shortDigest(of texts: String...) -> Int64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for text in texts {
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        // This byte never occurs in UTF-8, so two different lists of texts never have the same input bytes.
        hash = (hash ^ 0xFF) &* 0x100_0000_01B3
    }
    return Int64(bitPattern: hash)
}
