import TestSupport
import Testing

@testable import HTML

@Suite struct TextDecoderTests {
    private func decoded(_ page: [UInt8], _ contentType: String? = nil) -> String {
        String(decoding: TextDecoder.utf8(page, contentType: contentType), as: UTF8.self)
    }

    private static let hello: [UInt8] = [0xCF, 0xF0, 0xE8, 0xE2, 0xE5, 0xF2]

    @Test(arguments: [
        "text/html; charset=windows-1251", "text/html;charset=\"Windows-1251\"", "text/html; CHARSET = cp1251 ; x=y", "charset='cp1251'",
    ])
    func `uses the header`(contentType: String) {
        #expect(decoded(Self.hello, contentType) == "Привет")
    }

    @Test(arguments: [
        #"<meta charset="windows-1251">"#, "<META CHARSET=cp1251>",
        #"<meta http-equiv=content-type content="text/html; charset=windows-1251">"#,
        "<!doctype html><html><head><meta name=x><meta charset='windows-1251'/>",
    ])
    func `uses the meta element`(start: String) {
        #expect(decoded(Array(start.utf8) + Self.hello) == start + "Привет")
    }

    private static let filler = String(repeating: "<link rel=preload href=/x>", count: 200)

    @Test(arguments: [
        #"<head>\#(filler)<meta charset="windows-1251">"#, "<head>\(filler)<META CHARSET=cp1251>",
        "<head>\(filler)<meta charset=' Windows-1251 '>",
        #"<head>\#(filler)<meta http-equiv=Content-Type content="text/html; charset=windows-1251">"#,
        "<head><!-- <meta charset=nonsense> -->\(filler)<meta charset=windows-1251>",
        "<head><script>\(filler)</script><meta charset=windows-1251>",
        "<head><script>'<meta charset=koi8-r>'\(filler)</script><meta charset=windows-1251>".replacing(
            "<meta charset=koi8-r>", with: "<m>"),
        "<head>\(filler)<!-- <meta charset=koi8-r> --><meta charset=windows-1251>",
        "<head>\(filler)<script>'<meta charset=koi8-r>'</script><meta charset=windows-1251>",
        "<head>\(filler)<meta name=x content='charset=koi8-r'><meta charset=windows-1251>",
        "<head>\(filler)<meta charset=nonsense><meta charset=windows-1251>",
        #"<?xml version="1.0" encoding="windows-1251"?><html>"#, "<?xml version='1.0' encoding='Windows-1251' standalone='yes'?>",
        "<?xml version=\"1.0\"\nencoding = \"cp1251\" ?>", #"<?xml encoding="windows-1251"?>\#(filler)<meta charset=koi8-r>"#,
        #"<?xml version="1.0" encoding="koi8-r"?><meta charset=windows-1251>"#,
        #"<?xml version="1.0" encoding="nonsense"?>\#(filler)<meta charset=windows-1251>"#,
    ])
    func `uses a late declaration or that of XML`(start: String) {
        #expect(decoded(Array(start.utf8) + Self.hello) == start + "Привет")
    }

    @Test(arguments: [
        #" <?xml version="1.0" encoding="koi8-r"?>"#, #"<?xml version="1.0"?><p encoding="koi8-r">"#,
        #"<?xml version="1.0" encoding="utf-16"?>"#,
        "\(filler)<!-- <meta charset=koi8-r> -->", "\(filler)<meta charset=utf-16>", "\(filler)<meta name=charset content=koi8-r>",
        "\(filler)<p charset=koi8-r>", "\(filler)<meta http-equiv=refresh content='charset=koi8-r'>",
        "\(filler)<textarea><meta charset=koi8-r></textarea>", "\(filler)<style><meta charset=koi8-r></style>",
    ])
    func `ignores other declarations`(start: String) {
        #expect(decoded(Array("\(start)é".utf8)) == start + "é")
    }

    @Test func `prefers the byte order mark to the header, and the header to the meta element`() {
        #expect(decoded([0xEF, 0xBB, 0xBF] + Array("Ж".utf8), "text/html; charset=koi8-r") == "Ж")
        let meta = Array("<meta charset=koi8-r>".utf8)
        #expect(decoded(meta + Self.hello, "text/html; charset=windows-1251") == "<meta charset=koi8-r>Привет")
    }

    @Test func `decodes UTF-16`() {
        let text = "<title>Ж😀</title>"
        let units = Array(text.utf16)
        #expect(decoded([0xFE, 0xFF] + units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }) == text)
        #expect(decoded([0xFF, 0xFE] + units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }) == text)
        #expect(decoded(units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }, "text/html; charset=utf-16") == text)
        // Half of a character at the end.
        #expect(decoded([0xFE, 0xFF, 0, 0x41, 0]).first == "A")
        // Text that is valid ASCII cannot be UTF-16, for any declaration.
        #expect(decoded(Array("<meta charset=utf-16>é".utf8)) == "<meta charset=utf-16>é")
    }

    @Test func `an encoding is guessed from the bytes`() {
        #expect(decoded(Array("é".utf8)) == "é")
        #expect(decoded([0x80, 0xE9]) == "€é")
        #expect(decoded(Array("é".utf8), "text/html; charset=nonsense") == "é")
        #expect(decoded(Array("é".utf8), "text/html; charset=utf-7") == "é")
    }

    @Test func `replaces invalid bytes`() {
        #expect(decoded([0x41, 0xFF, 0x42], "text/html; charset=utf-8") == "A\u{FFFD}B")
        #expect(decoded([0x41, 0xFF, 0xFF, 0x42], "text/html; charset=shift_jis").hasPrefix("A"))
        #expect(decoded([0x98, 0x41], "text/html; charset=windows-1251") == "\u{FFFD}A")
    }

    /// A page in another encoding than declared costs a limited number of calls of the C library for any length, and the text before that
    /// is decoded.
    @Test(
        arguments: [
            ("windows-1252", [0x81]), ("iso-8859-1", [0x8D]), ("windows-1251", [0x98]), ("windows-1257", [0xA1]), ("tis-620", [0xFF]),
            ("iso-8859-3", [0xA5]), ("iso-8859-7", [0xFF]), ("iso-8859-8", [0xBF]), ("gb18030", [0xFF]), ("big5", [0xFF]),
            ("euc-jp", [0xFF]), ("shift_jis", [0xFF]), ("iso-2022-jp", [0xFF]), ("euc-kr", [0xFF]),
        ] as [(String, [UInt8])], [1, 4095, 4096, 4097, 200_000])
    func `replaces a limited number of bytes`(_ form: (label: String, invalid: [UInt8]), _ count: Int) {
        let start = "<title>A</title>"
        let page = Array(start.utf8) + Array(repeating: form.invalid, count: count).joined() + Array("<p>end".utf8)
        let text = decoded(page, "text/html; charset=\(form.label)")
        #expect(text.hasPrefix(start))
        #expect(text.unicodeScalars.count { $0 == "\u{FFFD}" } == min(count, TextDecoder.maximumReplaced), "\(form.label)")
        #expect(text.hasSuffix("<p>end") == (count <= TextDecoder.maximumReplaced), "\(form.label)")
    }

    /// UTF-8 needs no call for each invalid byte.
    @Test(arguments: ["utf-8", nil]) func `replaces all invalid bytes of UTF-8`(label: String?) {
        let page = [0xEF, 0xBB, 0xBF] + [UInt8](repeating: 0xFF, count: 5000) + Array("<p>end".utf8)
        let text = decoded(page, label.map { "text/html; charset=\($0)" })
        #expect(text.unicodeScalars.count { $0 == "\u{FFFD}" } == 5000)
        #expect(text.hasSuffix("<p>end"))
    }

    /// The search for a late `meta` element reads every byte once.
    @Test func `finds a late meta element behind many invalid bytes`() {
        let start = "<head>\(Self.filler)"
        let meta = Array("<meta charset=windows-1251>".utf8)
        let page = Array(start.utf8) + [UInt8](repeating: 0x81, count: 5000) + meta + Self.hello
        #expect(decoded(page).hasSuffix("<meta charset=windows-1251>Привет"))
    }

    @Test func `supports the encodings of browsers`() throws {
        for label in ["gbk", "big5", "euc-jp", "shift_jis", "iso-2022-jp", "euc-kr", "koi8-u", "iso-8859-2", "windows-874", "macintosh"] {
            let charset = try #require(Charset(label: label))
            #expect(decoded(Array("<p>ABC".utf8), "text/html; charset=\(label)") == "<p>ABC", "\(charset.name)")
        }
        #expect(decoded([0xC4, 0xE3, 0xBA, 0xC3], "text/html; charset=gb2312") == "你好")
        #expect(decoded([0x82, 0xB1], "text/html; charset=Shift_JIS") == "こ")
    }

    @Test(arguments: 0..<60)
    func `returns UTF-8 for any bytes`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let labels = [
            "utf-8", "utf-16", "utf-16be", "iso-2022-jp", "big5", "gb18030", "euc-kr", "euc-jp", "shift_jis", "windows-1258", "x",
        ]
        let page = random.bytes(5000)
        let bytes = TextDecoder.utf8(page, contentType: "text/html; charset=" + random.element(of: labels))
        #expect(String(validating: bytes, as: UTF8.self) != nil)
        #expect(bytes.count <= page.count * 4)
    }
}
