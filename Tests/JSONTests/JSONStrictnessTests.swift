import JSON
import Testing

@Suite struct JSONStrictnessTests {
    @Test(arguments: [
        #"{"a":1,}"#, "[1,]", "[,]", "{,}", "[1 2]", #"{"a" 1}"#, #"{"a":}"#, "{1:2}", "{a:1}", "{'a':1}", "['a']",
        "// c\n{}", "/* c */{}", "{/* c */}", "[1,//\n2]", "# c\n{}",
        "[01]", "[-]", "[+1]", "[.5]", "[1.]", "[1e]", "[0x10]", "[1_0]", "NaN", "[Infinity]", "[-Infinity]", "[undefined]",
        "[True]", "[nul]", "[tru]", "[\"a\nb\"]", "[\"\u{1}\"]", "[\"\t\"]", #"["\x41"]"#, #"["\u12"]"#, #"["\u00G0"]"#, #"["\'"]"#,
        "]", "}", "[}", "{]", ":", ",", "\u{b}1", "\u{a0}1",
    ])
    func `rejects malformed JSON`(_ text: String) {
        #expect(refusal(of: text)?.reason == .syntax)
    }

    @Test(arguments: [
        #"["\ud800"]"#, #"["\udc00"]"#, #"["\ud800x"]"#, #"["\ud800\n"]"#, #"["\ud800\ud800"]"#, #"["\udc00\ud800"]"#, #"{"\ud800":1}"#,
    ])
    func `rejects lone surrogates`(_ text: String) {
        #expect(refusal(of: text)?.reason == .syntax)
    }

    @Test(
        arguments: [
            [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF], [0xE2, 0x28, 0xA1],
            [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x9F, 0x98],
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFE], [0xFF],
        ] as [[UInt8]])
    func `rejects invalid UTF-8`(_ bytes: [UInt8]) {
        #expect(refusal(of: Array("[\"".utf8) + bytes + Array("\"]".utf8))?.reason == .invalidUTF8)
        #expect(refusal(of: Array("{\"".utf8) + bytes + Array("\":1}".utf8))?.reason == .invalidUTF8)
        #expect(refusal(of: bytes)?.reason == .invalidUTF8)
    }

    @Test(arguments: [0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFD, 0xFFFF, 0x10000, 0x10FFFF] as [UInt32])
    func `accepts the edges of UTF-8`(_ scalar: UInt32) throws {
        let text = try String(#require(Unicode.Scalar(scalar)))
        #expect(try value(of: "[\"\(text)\"]") == [.string(text)])
    }

    @Test(arguments: ["{} {}", "{}x", "[],", "1 2", "{}]", #"{}"""#])
    func `rejects trailing bytes`(_ text: String) {
        #expect(refusal(of: text)?.reason == .trailingBytes)
    }

    @Test func `rejects a trailing NUL`() {
        #expect(refusal(of: "{}\0")?.reason == .trailingBytes)
    }

    @Test(arguments: ["\0", "\0{}", "[\0", "[1,\0]", "[\"a\0b\"]", "{\"a\":\0}"])
    func `rejects NUL bytes`(_ text: String) {
        #expect(refusal(of: text)?.reason == .syntax)
    }

    @Test func `allows escaped NUL in values only`() throws {
        #expect(try value(of: #"["a\u0000b"]"#) == ["a\0b"])
        #expect(refusal(of: #"{"a\u0000b":1}"#)?.reason == .nulInKey)
    }

    @Test func `rejects a byte order mark`() {
        #expect(refusal(of: "\u{feff}{}")?.reason == .byteOrderMark)
        #expect(refusal(of: [0xFF, 0xFE, 0x7B, 0x00, 0x7D, 0x00])?.reason == .invalidUTF8)
    }

    @Test(arguments: [
        "", " ", "\n\t\r ", "[", "{", #"{"a""#, #"{"a":"#, #"{"a":1"#, #"{"a":1,"#, "[1", "[1,", "[[]", "[\"", #"{"a"#, #"{"a":"x"#,
    ])
    func `reports the position of a premature end`(_ text: String) {
        #expect(refusal(of: text)?.reason == .endOfInput)
    }

    @Test func `rejects every prefix`() {
        let bytes = Array(sampleText.utf8)
        #expect(refusal(of: bytes) == nil)
        for length in bytes.indices {
            #expect(refusal(of: Array(bytes[..<length])) != nil, "a prefix of \(length) bytes was accepted")
        }
    }

    @Test(arguments: [
        #"{"a":1,"a":1}"#, #"{"a":1,"\u0061":2}"#, #"{"\u0061":1,"a":2}"#, #"{"":1,"":2}"#, #"{"é":1,"\u00E9":2}"#,
        #"{"😀":1,"\ud83d\ude00":2}"#, #"{"x":{"a":1,"b":2,"a":3}}"#, #"[{"a":null,"a":null}]"#, #"{"/":1,"\/":1}"#,
    ])
    func `rejects duplicate keys`(_ text: String) {
        #expect(refusal(of: text)?.reason == .duplicateKey)
    }

    @Test func `distinguishes keys that are equal in Unicode`() throws {
        let object = try value(of: #"{"caf\u00e9":1,"cafe\u0301":2,"A":3,"a":4}"#)
        #expect(object == .object(["caf\u{e9}": 1, "cafe\u{301}": 2, "A": 3, "a": 4]))
        guard case .object(let members) = object else { return }
        #expect(members["caf\u{e9}"] == .integer(1))
        #expect(members["cafe\u{301}"] == .integer(2))
    }

    @Test(arguments: [
        ("9223372036854775807", Int64.max), ("-9223372036854775808", .min), ("9007199254740993", 9_007_199_254_740_993), ("-0", 0),
    ])
    func `reads integers exactly`(_ text: String, _ expected: Int64) throws {
        #expect(try value(of: text) == .integer(expected))
    }

    @Test(arguments: ["9223372036854775808", "-9223372036854775809", "18446744073709551616", "1e400", "-1e400", "1.0e99999"])
    func `rejects numbers out of range`(_ text: String) {
        #expect(refusal(of: "[\(text)]")?.reason == .numberOutOfRange)
    }

    @Test(arguments: [
        ("1.5", 1.5), ("1e0", 1), ("1E2", 100), ("-0.0", -0.0), ("0.1", 0.1), ("19.99", 19.99), ("1e-400", 0),
        ("0.1000000000000000055511151231257827", 0.1), ("123456789012345678901234567890.0", 1.2345678901234568e29),
        ("9223372036854775808.0", 9.223372036854775808e18), ("1.7976931348623157e308", .greatestFiniteMagnitude),
    ])
    func `reads reals`(_ text: String, _ expected: Double) throws {
        guard case .number(let number) = try value(of: text) else {
            Issue.record("expected a number with a fraction or an exponent")
            return
        }
        #expect(number.text == text)
        #expect(number.double == expected)
    }
}
