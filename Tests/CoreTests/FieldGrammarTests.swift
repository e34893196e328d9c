import Testing

@testable import Core

@Suite struct FieldGrammarTests {
    /// Bytes from 0x80 occur only within characters, so each is tested as a continuation or lead byte where UTF-8 has it.
    @Test(arguments: UInt8.min...UInt8.max)
    func `rejects control bytes and no others`(byte: UInt8) {
        let text: [UInt8] =
            switch byte {
            case ..<0x80: [0x61, byte, 0x62]
            case ..<0xC0: [0x61, 0xC3, byte, 0x62]
            case ..<0xE0: [0x61, byte, 0x80, 0x62]
            case ..<0xF0: [0x61, byte, 0xA0, 0x80, 0x62]
            default: [0x61, byte, 0x90, 0x80, 0x80, 0x62]
            }
        let isControl = byte < 0x20 || byte == 0x7F
        let problems = [FieldGrammar.problem(ofAppID: text.span), FieldGrammar.problem(ofUserID: text.span)]
        #expect(problems == Array(repeating: isControl ? .controlCharacter : nil, count: 2))
    }

    @Test(arguments: ["a", "é", "я", "漢", "\u{FFFF}", "🦊", "\u{10FFFF}", "e\u{301}", "👨‍👩‍👧‍👦"])
    func `counts UTF-16 code units`(unit: String) {
        for count in [1, 2, 9, 49, 50, 51, 99, 100, 101, 127, 128, 254, 255, 256] {
            let text = String(repeating: unit, count: count)
            let bytes = Array(text.utf8)
            let (app, user) = (FieldGrammar.problem(ofAppID: bytes.span), FieldGrammar.problem(ofUserID: bytes.span))
            #expect(app == (text.utf16.count > 255 ? .tooLong : nil), "\(count)")
            #expect(user == (text.utf16.count > 100 ? .tooLong : nil), "\(count)")
        }
    }

    @Test func `rejects the empty text`() {
        let empty: [UInt8] = []
        #expect(FieldGrammar.problem(ofAppID: empty.span) == .empty)
        #expect(FieldGrammar.problem(ofUserID: empty.span) == .empty)
        #expect(FieldGrammar.parse(securityKey: empty.span).problem == .empty)
    }

    @Test func `reports a control character for any length`() {
        for count in [0, 99, 254, 1000] {
            let bytes = Array(repeating: UInt8(ascii: "a"), count: count) + [0x0A]
            #expect(FieldGrammar.problem(ofAppID: bytes.span) == .controlCharacter)
            #expect(FieldGrammar.problem(ofUserID: bytes.span) == .controlCharacter)
        }
    }

    @Test(arguments: [1, 88, 89, 90, 100])
    func `a text below the length limit is malformed only by its format`(count: Int) {
        let bytes = Array(repeating: UInt8(ascii: "A"), count: count)
        let (key, problem) = FieldGrammar.parse(securityKey: bytes.span)
        #expect(key == nil)
        #expect(problem == .notASecurityKey)
    }

    @Test func `a key of more than 100 units is too long`() {
        let bytes = Array("dgk1.".utf8) + Array(repeating: UInt8(ascii: "A"), count: 96)
        #expect(FieldGrammar.parse(securityKey: bytes.span).problem == .tooLong)
    }

    @Test func `parses a key`() throws {
        let triple = try Samples.triple("app", "user", keyID: 3)
        #expect(FieldGrammar.parse(securityKey: triple.securityKey.span).key?.keyID == 3)
    }
}
