import Service
import Testing

@testable import AdminAPI
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus

@Suite struct FormDecoderTests {
    private static let decoder = FormDecoder(wanting: ["app_id", "user_id", "caf\u{e9}"])

    /// Decodes a form and copies the values; nil for a missing one.
    private func values(of form: [UInt8], _ decoder: FormDecoder<3> = decoder) throws(FormError) -> [[UInt8]?] {
        var form = form
        var body = form.mutableSpan
        let ranges = try decoder.decode(&body)
        return (0..<3).map { index in
            guard let range = ranges[index] else { return nil }
            let value = body.span.extracting(range)
            return value.indices.map { value[$0] }
        }
    }

    private func values(of form: String) throws(FormError) -> [String?] {
        try values(of: Array(form.utf8)).map { value in value.map { String(decoding: $0, as: UTF8.self) } }
    }

    private func failure(of form: [UInt8]) -> FormError? {
        do {
            _ = try values(of: form)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        arguments: [
            ("app_id=shop&user_id=ann", "shop", "ann"), ("user_id=ann&app_id=shop", "shop", "ann"),
            ("app_id=shop&x=1&y&user_id=ann&z=", "shop", "ann"),
            ("&&app_id=shop&&&user_id=ann&&", "shop", "ann"), ("=&=x&app_id=shop", "shop", nil),
            ("app%5Fid=shop&%75%73%65%72_id=ann", "shop", "ann"),
            ("app%5fid=a", "a", nil), ("app_id", "", nil), ("app_id&user_id", "", ""), ("app_id=&user_id=", "", ""), ("", nil, nil),
            ("&", nil, nil),
            ("=", nil, nil), ("APP_ID=a&app_i=b&app_idx=c&+app_id=d&app_id+=e", nil, nil), ("app+id=a&app%20id=b", nil, nil),
            ("app_id%3Da", nil, nil), ("app_id=a%26user_id%3Db", "a&user_id=b", nil), ("app_id=a=b==&user_id==", "a=b==", "="),
            ("app_id=a;user_id=b", "a;user_id=b", nil), ("x=1&x=2&app_id=a", "a", nil),
        ] as [(String, String?, String?)])
    func `finds the requested fields`(_ form: String, app: String?, user: String?) throws {
        #expect(try values(of: form) == [app, user, nil])
    }

    @Test(arguments: [
        ("a+b++", "a b  "), ("a%2Bb%2b", "a+b+"), ("%25", "%"), ("%2525", "%25"), ("%25%32%35", "%25"), ("%20", " "), ("%00", "\0"),
        ("%0d%0A", "\r\n"),
        ("caf%C3%A9", "caf\u{e9}"), ("cafe%cc%81", "cafe\u{301}"), ("%f0%9F%98%80", "😀"), ("漢", "漢"), ("\u{7f}\u{1}\t", "\u{7f}\u{1}\t"),
        ("a b", "a b"), ("%61%62%63", "abc"), ("\u{0}", "\0"),
    ])
    func `decodes values`(_ encoded: String, _ expected: String) throws {
        let value = try values(of: "x=%41&app_id=\(encoded)&user_id=%42")
        #expect(value[0].map { Array($0.utf8) } == Array(expected.utf8))
        #expect(value[1] == "B")
    }

    @Test(arguments: [
        "%", "%4", "%4&", "%G1", "%1G", "%%41", "% 1", "%+1", "%-1", "%0x", "a%", "%u0041", "%4%31", "%\u{e9}", "%/0", "%:0", "%@0", "%`0",
    ])
    func `rejects invalid escapes in requested fields`(_ escape: String) {
        for form in ["app_id=\(escape)", "x&app_id=\(escape)&user_id=41"] {
            guard case .badEscape = failure(of: Array(form.utf8)) else {
                Issue.record("accepted \(form)")
                continue
            }
        }
    }

    @Test(arguments: ["other=%", "%=a", "other%4", "%G1", "app_id%=b", "%61pp_id%4=b", "other=%zz%&%"])
    func `skips other fields`(_ unread: String) throws {
        #expect(try values(of: "\(unread)&app_id=a") == ["a", nil, nil])
        #expect(try values(of: "app_id=a&\(unread)") == ["a", nil, nil])
    }

    @Test(
        arguments: [
            [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xE0, 0x80, 0x80], [0xE2, 0x82], [0xED, 0xA0, 0x80],
            [0xED, 0xBF, 0xBF],
            [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x9F, 0x98], [0xF4, 0x90, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFE], [0xFF],
        ] as [[UInt8]])
    func `rejects requested values that are not UTF-8`(_ bytes: [UInt8]) throws {
        let escaped = bytes.flatMap { Array("%".utf8) + Array(String($0, radix: 16).utf8) }
        for encoded in [bytes, escaped] {
            guard case .invalidUTF8(let name) = failure(of: Array("app_id=a&user_id=".utf8) + encoded + Array("&x=y".utf8)) else {
                Issue.record("accepted")
                continue
            }
            #expect(name.description == "user_id")
            #expect(try values(of: Array("other=".utf8) + encoded + Array("&app_id=a".utf8))[0] == Array("a".utf8))
            #expect(try values(of: encoded + Array("=1&app_id=a".utf8))[0] == Array("a".utf8))
        }
    }

    @Test(arguments: [
        "app_id=a&app_id=a", "app_id=a&app_id=b", "app_id&app_id", "app_id=&x=1&app_id=", "app%5Fid=a&app_id=b", "app_id=a&%61pp_id=b",
    ])
    func `rejects duplicates of requested fields`(_ form: String) {
        guard case .duplicate(let name) = failure(of: Array(form.utf8)) else {
            Issue.record("accepted")
            return
        }
        #expect(name.description == "app_id")
    }

    @Test func `compares names as bytes`() throws {
        #expect(try values(of: "cafe%CC%81=two") == [nil, nil, nil])
        #expect(try values(of: "cafe%CC%81=two&caf%C3%A9=one") == [nil, nil, "one"])
    }

    @Test func `returns nil for missing fields`() throws {
        var form = Array("app_id=a".utf8)
        var body = form.mutableSpan
        let ranges = try Self.decoder.decode(&body)
        #expect(ranges[0] == 7..<8)
        #expect(ranges[1] == nil)
    }

    @Test(arguments: ["app_id=MARKER%", "app_id=MARKER&app_id=MARKER", "app_id=MARKER%FF"])
    func `errors never quote the form`(_ form: String) throws {
        let failure = try #require(self.failure(of: Array(form.utf8)))
        #expect(!"\(failure) \(String(reflecting: failure))".contains("MARKER"))
    }

    @Test func `every byte is decoded from its escape or rejected`() throws {
        for byte in UInt8.min...UInt8.max {
            let digits = String(byte, radix: 16)
            let form = Array("app_id=%\(digits.count < 2 ? "0" : "")\(digits)".utf8)
            if byte < 0x80 {
                #expect(try values(of: form)[0] == [byte])
            } else {
                #expect(failure(of: form) != nil)
            }
        }
    }

    /// A simple decoder of one part.
    private func reference(unescaping part: ArraySlice<UInt8>) -> [UInt8]? {
        guard let percent = part.firstIndex(of: UInt8(ascii: "%")) else {
            return part.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        }
        let digits = part[(percent + 1)...].prefix(2)
        guard digits.count == 2, digits.allSatisfy({ Unicode.Scalar($0).properties.isASCIIHexDigit }),
            let byte = UInt8(String(decoding: digits, as: UTF8.self), radix: 16),
            let head = reference(unescaping: part[..<percent]), let tail = reference(unescaping: part[(percent + 3)...])
        else { return nil }
        return head + [byte] + tail
    }

    /// A simple decoder of a form; nil if it must be rejected.
    private func reference(decoding form: [UInt8]) -> [[UInt8]?]? {
        var values: [[UInt8]?] = [nil, nil, nil]
        for pair in form.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = reference(unescaping: parts[0]), let index = ["a", "A", "c"].firstIndex(where: { Array($0.utf8) == name })
            else { continue }
            guard let value = reference(unescaping: parts.dropFirst().first ?? []), values[index] == nil,
                String(validating: value, as: UTF8.self) != nil
            else { return nil }
            values[index] = value
        }
        return values
    }

    @Test func `matches the simple decoder for every short form`() {
        let symbols = ["a", "A", "=", "&", "%", "4", "1", "+"].map { Array($0.utf8) } + [[0xC3], [0xA9]]
        let decoder = FormDecoder(wanting: ["a", "A", "c"])
        var forms: [[UInt8]] = [[]]
        for _ in 0..<5 {
            forms = forms.flatMap { form in symbols.map { form + $0 } }
            for form in forms {
                let expected = reference(decoding: form)
                let actual = try? values(of: form, decoder)
                if actual != expected { Issue.record("differs on \(form)") }
            }
        }
    }
}
