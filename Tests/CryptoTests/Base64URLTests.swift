import Crypto
import Testing

struct Base64URLTests {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    private func decode(_ text: [UInt8], room: Int = 100) -> [UInt8]? {
        var bytes = repeated(0xEE, room)
        var span = bytes.mutableSpan
        guard let count = Base64URL.decode(text.span, into: &span) else { return nil }
        return Array(bytes.prefix(count))
    }

    /// RFC 4648 section 10 without its padding, and the two characters that set this alphabet apart.
    @Test(arguments: [
        ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"), ("foobar", "Zm9vYmFy"),
        ("~~~", "fn5-"), ("???", "Pz8_"),
    ])
    func `published examples`(plain: String, encoded: String) {
        #expect(Base64URL.encode(plain.utf8.span) == encoded)
        #expect(Base64URL.decode(encoded) == Array(plain.utf8))
    }

    @Test(arguments: 0...100)
    func `every length comes back`(count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ count) }
        let text = Base64URL.encode(bytes.span)
        #expect(Base64URL.decodedCount(ofCharacters: text.utf8.count) == count)
        #expect(decode(Array(text.utf8), room: count) == bytes)
        #expect(Base64URL.decode(text) == bytes)
    }

    @Test(arguments: 0..<4)
    func `every byte outside the alphabet is refused`(position: Int) {
        for byte in UInt8.min...UInt8.max {
            var text = Array("AAAAAAAAAAAA".utf8)
            text[4 + position] = byte
            #expect((decode(text) != nil) == Self.alphabet.contains(byte), "byte \(byte)")
        }
    }

    @Test(arguments: ["Zg==", "Zg=", "Zm8=", "=", "Zm9v\n", " Zm9v", "Zm 9v", "Pz8/", "fn5+", "Zm9v====", "\u{e9}A", "A\u{0}"])
    func `other dialects are refused`(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }

    @Test(arguments: [1, 5, 9, 85])
    func `lengths that no encoding has are refused`(count: Int) {
        #expect(Base64URL.decodedCount(ofCharacters: count) == nil)
        #expect(decode(repeated(UInt8(ascii: "A"), count)) == nil)
        #expect(Base64URL.decode(String(repeating: "A", count: count)) == nil)
    }

    @Test(arguments: [2, 3])
    func `unused trailing bits must be zero`(count: Int) {
        let unused: UInt8 = count == 2 ? 0b1111 : 0b11
        for (value, character) in Self.alphabet.enumerated() {
            let text = repeated(UInt8(ascii: "A"), count - 1) + [character]
            #expect((decode(text) != nil) == (UInt8(value) & unused == 0), "value \(value)")
        }
    }

    @Test func `what is accepted is the one spelling`() {
        var accepted: Set<[UInt8]> = []
        for first in Self.alphabet {
            for second in Self.alphabet {
                guard let bytes = decode([first, second]) else { continue }
                #expect(Array(Base64URL.encode(bytes.span).utf8) == [first, second])
                #expect(accepted.insert(bytes).inserted)
            }
        }
        #expect(accepted.count == 256)
    }

    @Test func `output that is too short is refused, and longer output keeps its rest`() {
        let text = Array("Zm9vYmFy".utf8)
        #expect(decode(text, room: 5) == nil)
        var bytes = repeated(0xEE, 8)
        var span = bytes.mutableSpan
        #expect(Base64URL.decode(text.span, into: &span) == 6)
        #expect(bytes == Array("foobar".utf8) + [0xEE, 0xEE])
    }
}
