import Core
import Testing

@Suite struct ByteKeyTests {
    /// One letter, composed and decomposed: equal to Swift, and other bytes.
    private let composed = ByteKey("caf\u{E9}")
    private let decomposed = ByteKey("cafe\u{301}")

    @Test func tellsSpellingsOfOneLetterApart() {
        #expect(composed.text == decomposed.text)
        #expect(composed != decomposed)
        #expect([composed: 1, decomposed: 2].count == 2)
        // U+212B and U+00C5 have the same form, of two and three bytes.
        #expect(ByteKey("\u{212B}") != ByteKey("\u{C5}"))
    }

    @Test(arguments: ["", "a", "shop", "Ä", "\u{1F4E6}", String(repeating: "app~", count: 34)])
    func findsItsOwn(_ text: String) {
        #expect(ByteKey(text) == ByteKey(String(Array(text))))
        #expect(Set([ByteKey(text)]).contains(ByteKey(text)))
        #expect(ByteKey(text) != ByteKey(text + "x"))
        #expect(ByteKey(text + "a") != ByteKey(text + "b"))
    }

    @Test func isOrderedByBytes() {
        let keys = [ByteKey("b"), ByteKey("Z"), composed, decomposed, ByteKey("")]
        #expect(keys.sorted() == [ByteKey(""), ByteKey("Z"), ByteKey("b"), decomposed, composed])
    }
}
