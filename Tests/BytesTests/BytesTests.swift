import Bytes
import Testing

@Suite struct BytesTests {
    /// For every byte: a digit of either case has its value, and all other bytes have none.
    @Test func `decodes digits of either case`() {
        for byte in UInt8.min...UInt8.max {
            let character = Character(UnicodeScalar(byte))
            #expect(Hexadecimal.value(byte).map(Int.init) == (byte < 0x80 ? character.hexDigitValue : nil))
        }
        #expect(Hexadecimal.byte(UInt8(ascii: "0"), UInt8(ascii: "g")) == nil)
        #expect(Hexadecimal.byte(UInt8(ascii: "+"), UInt8(ascii: "1")) == nil)
    }

    @Test func `survives a round trip`() {
        for byte in UInt8.min...UInt8.max {
            let text = Hexadecimal.text([byte].span)
            #expect(UInt8(text, radix: 16) == byte)
            #expect(text.utf8.count == 2)
            #expect(text == text.lowercased())
            #expect(Hexadecimal.byte(Hexadecimal.upperDigit(byte >> 4), Hexadecimal.digit(byte)) == byte)
        }
        let (none, some): ([UInt8], [UInt8]) = ([], [0, 9, 10, 0xAB, 0xFF])
        #expect(Hexadecimal.text(none.span) == "")
        #expect(Hexadecimal.text(some.span) == "00090aabff")
    }

    @Test func `decodes whole texts`() {
        #expect(Hexadecimal.bytes("00090aAbFf".utf8.span) == [0, 9, 10, 0xAB, 0xFF])
        #expect(Hexadecimal.bytes("".utf8.span) == [])
        for text in ["0", "000", "0g", "g0", "00 ", "+1", "é0"] { #expect(Hexadecimal.bytes(text.utf8.span) == nil, "\(text)") }
    }

    @Test func `copies a borrowed span`() {
        let (text, broken, none): ([UInt8], [UInt8], [UInt8]) = (Array("é\0".utf8), [0x41, 0xFF], [])
        #expect(String(repairing: text.span) == "é\0")
        #expect(Array(copying: text.span) == text)
        #expect(String(repairing: broken.span) == "A\u{FFFD}")
        #expect(Array(copying: broken.span) == broken)
        #expect(String(repairing: none.span) == "")
        #expect(Array(copying: none.span) == none)
    }

    @Test func `texts with different bytes are different`() {
        // Two are equal in Swift, one begins with another, and two are long enough for the heap.
        let long = String(repeating: "a", count: 100)
        let texts = ["", "a", "ab", "b", "\0", "a\0", "caf\u{E9}", "cafe\u{301}", long + "x", long + "y"]
        for (index, text) in texts.enumerated() {
            for (other, otherText) in texts.enumerated() { #expect(text.hasSameBytes(as: otherText) == (index == other)) }
        }
    }

    @Test func `escapes all reserved characters`() {
        let unreserved = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
        for byte in UInt8.min...UInt8.max {
            var text: [UInt8] = []
            text.append(percentEncoding: byte)
            let escaped = "%" + Hexadecimal.text([byte].span).uppercased()
            #expect(text == (unreserved.contains(byte) ? [byte] : Array(escaped.utf8)))
        }
    }

    /// Every parser of queries, forms, references and addresses decodes these escapes.
    @Test(
        arguments: [
            ("", ""), ("a", "a"), ("%41", "A"), ("%2e%2E", ".."), ("%25", "%"), ("%2541", "%41"), ("a%20b%2Bc", "a b+c"), ("%00", "\0"),
            ("%C3%A9", "é"), ("+", "+"), ("%2f", "/"),
            ("%", nil), ("%4", nil), ("a%", nil), ("a%4", nil), ("%%41", nil), ("%4%31", nil), ("%g1", nil), ("%1g", nil), ("%G1", nil),
            ("%+1", nil), ("%-1", nil), ("%1+", nil), ("% 1", nil), ("%1 ", nil), ("%0x", nil), ("%x1", nil), ("%u0041", nil),
            ("%\u{FF11}1", nil), ("%é", nil), ("%/0", nil), ("%:0", nil), ("%@0", nil), ("%`0", nil), ("%1\0", nil),
        ] as [(String, String?)])
    func `percent escapes are decoded`(text: String, expected: String?) {
        let decoded = PercentEncoding.decoded(text.utf8.span)
        #expect(decoded.flatMap { String(validating: $0, as: UTF8.self) } == expected)
        if let decoded { #expect(PercentEncoding.decodedLeniently(text.utf8.span) == decoded) }
    }

    @Test(
        arguments: [
            ("%", "%"), ("%4", "%4"), ("%+1", "%+1"), ("% 1", "% 1"), ("%%41", "%A"), ("%4%31", "%41"), ("%zz%2e", "%zz."),
            ("a%41%", "aA%"),
        ])
    func `keeps invalid escapes`(text: String, expected: String) {
        #expect(PercentEncoding.decodedLeniently(text.utf8.span) == Array(expected.utf8))
    }

    @Test(arguments: [("+", " "), ("a+%2B+b", "a + b"), ("%20+", "  "), ("%+1", nil), ("++", "  ")] as [(String, String?)])
    func `decodes the plus of forms`(text: String, expected: String?) {
        #expect(PercentEncoding.decoded(text.utf8.span, isForm: true) == expected.map { Array($0.utf8) })
    }

    /// For all pairs of bytes: an escape needs two digits.
    @Test func `an escape needs two digits`() {
        for high in UInt8.min...UInt8.max {
            for low in UInt8.min...UInt8.max {
                let text = [UInt8(ascii: "a"), UInt8(ascii: "%"), high, low]
                let expected = Hexadecimal.byte(high, low)
                guard PercentEncoding.byte(at: 1, in: text.span) != expected else { continue }
                Issue.record("\(high) \(low)")
            }
        }
        let escape = Array("%41".utf8)
        for index in 1...3 { #expect(PercentEncoding.byte(at: index, in: escape.span) == nil) }
    }

    @Test func `finds control characters`() {
        for byte in UInt8.min...UInt8.max {
            #expect(([0x41, byte, 0x41] as [UInt8]).span.hasControlCharacter == (byte < 0x20 || byte == 0x7F))
        }
    }

    @Test(arguments: [
        ("content-length", true), ("Content-Length", true), ("CONTENT-LENGTH", true), ("content-lengt", false), ("content-length ", false),
        ("content_length", false), ("", false),
    ])
    func `compares names`(text: String, expected: Bool) {
        let bytes = Array(text.utf8)
        #expect(bytes.span.equalsIgnoringCase("content-length") == expected)
    }

    @Test func `folds the case of ascii letters only`() {
        for byte in UInt8.min...UInt8.max {
            let bytes = [byte]
            #expect(bytes.span.equalsIgnoringCase("k") == (byte == 0x4b || byte == 0x6b))
            #expect(bytes.span.equalsIgnoringCase("[") == (byte == 0x5b))
            #expect(bytes.span.equalsIgnoringCase("@") == (byte == 0x40))
            #expect(bytes.span.equals("k") == (byte == 0x6b))
        }
    }
}
