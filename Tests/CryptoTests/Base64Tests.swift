import Crypto
import Testing

/// One of the two alphabets of RFC 4648, for tests of both.
enum Base64Dialect: CaseIterable {
    case base64, base64url

    var alphabet: [UInt8] {
        Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8) + Array((self == .base64 ? "+/" : "-_").utf8)
    }

    func encode(_ bytes: [UInt8]) -> String {
        self == .base64 ? Base64.encode(bytes.span) : Base64URL.encode(bytes.span)
    }

    func decode(_ text: String) -> [UInt8]? {
        self == .base64 ? Base64.decode(text) : Base64URL.decode(text)
    }

    func decode(_ text: [UInt8], into output: inout MutableSpan<UInt8>) -> Int? {
        self == .base64 ? Base64.decode(text.span, into: &output) : Base64URL.decode(text.span, into: &output)
    }

    func decodedCount(of text: String) -> Int? {
        self == .base64 ? Base64.decodedCount(of: text.utf8.span) : Base64URL.decodedCount(ofCharacters: text.utf8.count)
    }

    func decode(_ text: [UInt8], room: Int = 100) -> [UInt8]? {
        var bytes = repeated(0xEE, room)
        var span = bytes.mutableSpan
        guard let count = decode(text, into: &span) else { return nil }
        return Array(bytes.prefix(count))
    }
}

struct Base64Tests {
    /// The examples of RFC 4648 section 10, and the two characters in which the alphabets differ.
    @Test(arguments: [
        ("", "", ""), ("f", "Zg==", "Zg"), ("fo", "Zm8=", "Zm8"), ("foo", "Zm9v", "Zm9v"), ("foob", "Zm9vYg==", "Zm9vYg"),
        ("fooba", "Zm9vYmE=", "Zm9vYmE"), ("foobar", "Zm9vYmFy", "Zm9vYmFy"), ("~~~", "fn5+", "fn5-"), ("???", "Pz8/", "Pz8_"),
    ])
    func `published examples`(plain: String, base64: String, base64url: String) {
        for (dialect, encoded) in [(Base64Dialect.base64, base64), (.base64url, base64url)] {
            #expect(dialect.encode(Array(plain.utf8)) == encoded)
            #expect(dialect.decode(encoded) == Array(plain.utf8))
        }
    }

    @Test(arguments: Base64Dialect.allCases, 0...100)
    func `every length survives a round trip`(dialect: Base64Dialect, count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ count) }
        let text = dialect.encode(bytes)
        if dialect == .base64 { #expect(text.utf8.count % 4 == 0) }
        #expect(dialect.decodedCount(of: text) == count)
        #expect(dialect.decode(Array(text.utf8), room: count) == bytes)
        #expect(dialect.decode(text) == bytes)
    }

    @Test(arguments: Base64Dialect.allCases, 0..<4)
    func `every byte outside the alphabet is rejected`(dialect: Base64Dialect, position: Int) {
        for byte in UInt8.min...UInt8.max {
            var text = Array("AAAAAAAAAAAA".utf8)
            text[4 + position] = byte
            #expect((dialect.decode(text) != nil) == dialect.alphabet.contains(byte), "byte \(byte)")
        }
    }

    @Test(arguments: [
        "Zg", "Zg=", "Zm8", "Zm8==", "=", "==", "===", "====", "A===", "Zm9v====", "Zg==Zg==", "Zm=v", "Zm9v\n", " Zm9", "Zm 9", "Pz8_",
        "fn5-", "A\u{e9}A", "AAA\u{0}",
    ])
    func `other dialects are rejected as base64`(text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test(arguments: ["Zg==", "Zg=", "Zm8=", "=", "Zm9v\n", " Zm9v", "Zm 9v", "Pz8/", "fn5+", "Zm9v====", "\u{e9}A", "A\u{0}"])
    func `other dialects are rejected as base64url`(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }

    @Test(arguments: [1, 5, 9, 85])
    func `impossible lengths are rejected`(count: Int) {
        #expect(Base64URL.decodedCount(ofCharacters: count) == nil)
        for dialect in Base64Dialect.allCases {
            #expect(dialect.decode(repeated(UInt8(ascii: "A"), count)) == nil)
            #expect(dialect.decode(String(repeating: "A", count: count)) == nil)
        }
    }

    @Test(arguments: Base64Dialect.allCases, [2, 3])
    func `unused trailing bits must be zero`(dialect: Base64Dialect, count: Int) {
        let unused: UInt8 = count == 2 ? 0b1111 : 0b11
        let padding = dialect == .base64 ? repeated(UInt8(ascii: "="), 4 - count) : []
        for (value, character) in dialect.alphabet.enumerated() {
            let text = repeated(UInt8(ascii: "A"), count - 1) + [character] + padding
            #expect((dialect.decode(text) != nil) == (UInt8(value) & unused == 0), "value \(value)")
        }
    }

    @Test func `each value has one accepted spelling`() {
        var accepted: Set<[UInt8]> = []
        let dialect = Base64Dialect.base64url
        for first in dialect.alphabet {
            for second in dialect.alphabet {
                guard let bytes = dialect.decode([first, second]) else { continue }
                #expect(Array(dialect.encode(bytes).utf8) == [first, second])
                #expect(accepted.insert(bytes).inserted)
            }
        }
        #expect(accepted.count == 256)
    }

    @Test(arguments: Base64Dialect.allCases)
    func `an output buffer that is too short is rejected, and a longer one keeps its rest`(dialect: Base64Dialect) {
        for plain in ["fooba", "foobar"] {
            let (plain, text) = (Array(plain.utf8), Array(dialect.encode(Array(plain.utf8)).utf8))
            #expect(dialect.decode(text, room: plain.count - 1) == nil)
            var bytes = repeated(0xEE, plain.count + 2)
            var span = bytes.mutableSpan
            #expect(dialect.decode(text, into: &span) == plain.count)
            #expect(bytes == plain + [0xEE, 0xEE])
        }
    }
}
