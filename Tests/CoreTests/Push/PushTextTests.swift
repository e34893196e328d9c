import Core
import Testing

@Suite struct PushTextTests {
    @Test(arguments: [
        ("Анна", "Анна"), ("  Anna \t\r\n Smith  ", "Anna Smith"), ("a\u{A0}\u{2003}\u{3000}b", "a b"), ("", ""), (" \n ", ""),
        ("a\u{0}b\u{7F}c\u{85}d\u{9B}e", "abc de"), ("a\u{2028}b\u{2029}c", "a b c"), ("\u{FEFF}a\u{FFFE}", "a"),
        ("invoice\u{202E}gpj.exe\u{2066}\u{2069}\u{202A}\u{202C}", "invoicegpj.exe"), ("\u{200F}שלום\u{200F}", "\u{200F}שלום\u{200F}"),
        ("می\u{200C}خواهم", "می\u{200C}خواهم"), ("\u{200D}\u{200B}", ""), ("\u{3164}\u{115F}", ""), ("👨‍👩‍👧‍👦 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ❤️", "👨‍👩‍👧‍👦 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ❤️"),
        ("a\u{1C}b", "ab"), ("e\u{301}", "e\u{301}"),
    ])
    func `whitespace is collapsed to one line`(text: String, line: String) {
        #expect(Array(PushText.line(text).unicodeScalars) == Array(line.unicodeScalars))
    }

    @Test(arguments: [
        ("a", "a"), ("a\nb", "a\nb"), ("a\r\nb\rc\nd", "a\nb\nc\nd"), ("a\u{B}b\u{C}c\u{85}d\u{2028}e\u{2029}f", "a\nb\nc\nd\ne\nf"),
        ("a\n\nb", "a\n\nb"), ("a\n\n\n\r\n\nb", "a\n\nb"), ("a \t\n \u{A0} \n\t\nb", "a\n\nb"), ("\n\n  a\n  b  \n\n", "a\n  b"),
        ("a\tb", "a b"), ("a\u{0}\n\u{202E}b", "a\nb"), ("", ""), (" \n\t\r\n ", ""), ("\u{200B}\n\u{200D}", ""), ("a\n\r b", "a\n\n b"),
    ])
    func `keeps line breaks`(text: String, paragraphs: String) {
        #expect(Array(PushText.paragraphs(text).unicodeScalars) == Array(paragraphs.unicodeScalars))
    }

    @Test(arguments: [
        ("hello", 5, "hello"), ("hello!", 5, "he…"), ("Привет", 12, "Привет"), ("Привет", 11, "Прив…"), ("Привет", 10, "При…"),
        ("ab cdef", 6, "ab…"), ("👨‍👩‍👧‍👦👨‍👩‍👧‍👦", 49, "👨‍👩‍👧‍👦…"), ("👨‍👩‍👧‍👦👨‍👩‍👧‍👦", 27, "👨\u{200D}👩\u{200D}👧\u{200D}…"), ("🇩🇪🇫🇷🇷🇺", 19, "🇩🇪🇫🇷…"), ("🇩🇪🇫🇷🇷🇺", 18, "🇩🇪…"),
        ("e\u{301}e\u{301}", 5, "e…"), ("e\u{301}\u{302}", 6, "e\u{301}\u{302}"), ("e\u{301}\u{302}a", 5, "e…"),
        ("e\u{301}\u{302}a", 3, "…"), ("", 0, ""), ("a", 0, "…"),
    ])
    func `text is cut between characters`(text: String, bytes: Int, cut: String) {
        #expect(PushText.cut(text, toBytes: bytes) == cut)
    }

    @Test func `each character is handled by its Unicode properties`() {
        let values = [0...0x31FF, 0xD700...0xFFFF, 0x1_FFF0...0x1_FFFF, 0xE_0000...0xE_01FF, 0x10_FFF0...0x10_FFFF].joined()
        let wrong = values.compactMap { Unicode.Scalar($0) }.filter { scalar in
            let isDisguise = "\u{202A}"..."\u{202E}" ~= scalar || "\u{2066}"..."\u{2069}" ~= scalar || "\u{FFF9}"..."\u{FFFB}" ~= scalar
            let isUnwanted =
                isDisguise || scalar == "\u{FEFF}" || scalar.properties.generalCategory == .control
                || scalar.properties.isNoncharacterCodePoint
            let middle = scalar.properties.isWhitespace ? " " : isUnwanted ? "" : String(scalar)
            return !PushText.line("a\(scalar)b").unicodeScalars.elementsEqual("a\(middle)b".unicodeScalars)
        }
        #expect(wrong.isEmpty)
    }
}
