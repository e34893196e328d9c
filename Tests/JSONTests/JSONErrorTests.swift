import JSON
import Testing

@Suite struct JSONErrorTests {
    @Test(arguments: [
        (#"{"a":1,}"#, "line 1, column 8: not valid JSON", 8),
        ("{\n  \"a\": tru\n}", "line 2, column 10: not valid JSON", 12),
        (#"{"a":1"#, "line 1, column 7: the text ends too early", 6),
        ("[\n", "line 2, column 1: the text ends too early", 2),
        ("", "line 1, column 1: the text ends too early", 0),
        ("{}\n{}", "line 2, column 1: more text after the end of the JSON value", 4),
        ("\u{feff}{}", "line 1, column 1: starts with a byte order mark", 3),
        ("{\"é\":1,\n \"b\":2,\n \"é\":3}", "line 3, column 4: duplicate key", 22),
        (#"{"a\u0000":1}"#, "line 1, column 10: NUL character in a key", 10),
        ("[\n[9223372036854775808]]", "line 2, column 20: number out of range", 22),
        ("[1e400]", "line 1, column 6: number out of range", 6),
        ("[[[]]]", "line 1, column 3: nested too deep", 3),
    ])
    func `has the position and the mistake`(_ text: String, description: String, offset: Int) {
        let error = refusal(of: text, maximumDepth: 2)
        #expect(error?.description == description)
        #expect(error?.offset == offset)
    }

    @Test func `has the position of invalid UTF-8`() {
        #expect(refusal(of: Array("[\n\"é".utf8) + [0xFF, 0x22, 0x5D])?.description == "line 2, column 3: invalid UTF-8")
        #expect(refusal(of: [0xFF])?.description == "line 1, column 1: invalid UTF-8")
    }

    @Test func `has a distinct text for each reason`() {
        let reasons: [JSONError.Reason] = [
            .syntax, .endOfInput, .trailingBytes, .byteOrderMark, .invalidUTF8, .duplicateKey, .nulInKey, .numberOutOfRange, .tooDeep,
            .outOfMemory,
        ]
        #expect(Set(reasons.map(\.description)).count == reasons.count)
    }

    @Test(arguments: [
        "MARKER", "[MARKER]", #""MARKER"#, #"{"a":"MARKER"#, #"{"MARKER":1,"MARKER":2}"#, #"{"a":1}MARKER"#, #"{"a":1} "MARKER""#,
        #"{"MARKER" 1}"#,
        #"["MARKER\x"]"#, #"["MARKER\ud800"]"#, "[\"MARKER\n\"]", #"{"MARKER\u0000":1}"#, "[[[\"MARKER\"]]]", "'MARKER'", "[\"MARKER\0\"]",
    ])
    func `never quotes the input`(_ text: String) throws {
        let error = try #require(refusal(of: text, maximumDepth: 2))
        var dumped = ""
        dump(error, to: &dumped)
        #expect(!"\(error) \(String(reflecting: error)) \(dumped)".contains("MARKER"))
    }

    @Test func `never quotes invalid UTF-8`() throws {
        let error = try #require(refusal(of: Array("[\"MARKER".utf8) + [0xFF]))
        #expect(!String(reflecting: error).contains("MARKER"))
    }
}
