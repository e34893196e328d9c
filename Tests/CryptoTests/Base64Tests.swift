import Crypto
import Testing

struct Base64Tests {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    private func decode(_ text: [UInt8], room: Int = 100) -> [UInt8]? {
        var bytes = repeated(0xEE, room)
        var span = bytes.mutableSpan
        guard let count = Base64.decode(text.span, into: &span) else { return nil }
        return Array(bytes.prefix(count))
    }

    /// RFC 4648 section 10, and the two characters that set this alphabet apart.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
        ("~~~", "fn5+"), ("???", "Pz8/"),
    ])
    func `published examples`(plain: String, encoded: String) {
        #expect(Base64.encode(plain.utf8.span) == encoded)
        #expect(Base64.decode(encoded) == Array(plain.utf8))
    }

    @Test(arguments: 0...100)
    func `every length comes back`(count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ count) }
        let text = Base64.encode(bytes.span)
        #expect(text.utf8.count % 4 == 0)
        #expect(Base64.decodedCount(of: text.utf8.span) == count)
        #expect(decode(Array(text.utf8), room: count) == bytes)
        #expect(Base64.decode(text) == bytes)
    }

    @Test(arguments: 0..<4)
    func `every byte outside the alphabet is refused`(position: Int) {
        for byte in UInt8.min...UInt8.max {
            var text = Array("AAAAAAAAAAAA".utf8)
            text[4 + position] = byte
            #expect((decode(text) != nil) == Self.alphabet.contains(byte), "byte \(byte)")
        }
    }

    @Test(arguments: [
        "Zg", "Zg=", "Zm8", "Zm8==", "=", "==", "===", "====", "A===", "Zm9v====", "Zg==Zg==", "Zm=v", "Zm9v\n", " Zm9", "Zm 9", "Pz8_",
        "fn5-",
        "A\u{e9}A", "AAA\u{0}",
    ])
    func `other dialects are refused`(text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test(arguments: [2, 3])
    func `unused trailing bits must be zero`(count: Int) {
        let unused: UInt8 = count == 2 ? 0b1111 : 0b11
        for (value, character) in Self.alphabet.enumerated() {
            let text = repeated(UInt8(ascii: "A"), count - 1) + [character] + repeated(UInt8(ascii: "="), 4 - count)
            #expect((decode(text) != nil) == (UInt8(value) & unused == 0), "value \(value)")
        }
    }

    @Test func `output that is too short is refused, and longer output keeps its rest`() {
        let text = Array("Zm9vYmE=".utf8)
        #expect(decode(text, room: 4) == nil)
        var bytes = repeated(0xEE, 7)
        var span = bytes.mutableSpan
        #expect(Base64.decode(text.span, into: &span) == 5)
        #expect(bytes == Array("fooba".utf8) + [0xEE, 0xEE])
    }
}
