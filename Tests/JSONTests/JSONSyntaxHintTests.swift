import JSON
import Testing

@Suite struct JSONSyntaxHintTests {
    @Test(arguments: [
        ("{\n \"a\": [1, 2,],\n \"b\": 1\n}", 2, 12, "a comma too many before ]; remove it"),
        ("{\"a\": 1,\n}", 1, 8, "a comma too many before }; remove it"),
        ("{\n  // the listener\n  \"a\": 1}", 2, 3, "JSON has no comments; remove this one"),
        ("{\"a\": 1 /* one */}", 1, 9, "JSON has no comments; remove this one"),
        ("{\"a\": 1 # one\n}", 1, 9, "JSON has no comments; remove this one"),
        ("{'a': 1}", 1, 2, "write strings and names in double quotes"),
        ("{\"a\": 'x'}", 1, 7, "write strings and names in double quotes"),
        ("{\"a\": “x”}", 1, 7, "a typographic quote; JSON takes plain double quotes only"),
        ("{a: 1}", 1, 2, "write names in double quotes"),
        ("{\"é\": x}", 1, 7, "write text in double quotes"),
        ("{\"a\": True}", 1, 7, "true, false and null are written in small letters"),
        ("{\"a\": 1\n \"b\": 2}", 2, 2, "a comma is missing before this"),
        ("[{} {}]", 1, 5, "a comma is missing before this"),
        ("{\"a\" 1}", 1, 6, "a colon is missing before this, between name and value"),
        ("{\"a\" = 1}", 1, 6, "a colon is missing before this, between name and value"),
        ("{\"a\": ,}", 1, 7, "a value is missing before this"),
        ("{\"a\": 1,, \"b\": 1}", 1, 9, "a comma too many"),
        ("{\"a\": [1}", 1, 9, "the bracket that is open here is ["),
        ("{\"a\": \"x,\n\"b\": 1}", 1, 7, "the string that begins here lacks its closing quote"),
        ("{\"a\": {\"b\": 1}", 1, 1, "this { is never closed"),
        ("[0x1F90]", 1, 2, "JSON has decimal numbers only; write it in decimal"),
        ("[0b11]", 1, 2, "JSON has decimal numbers only; write it in decimal"),
        ("[08080]", 1, 2, "a number has no zeros before its first digit; remove them"),
        ("[-01]", 1, 2, "a number has no zeros before its first digit; remove them"),
        ("[+1]", 1, 2, "a number has no + before it; remove it"),
        ("[.5]", 1, 2, "a digit is missing before the point"),
        ("[5.]", 1, 2, "a digit is missing after the point"),
        ("[-]", 1, 2, "a digit is missing after the minus"),
        ("[8_080]", 1, 2, "a number has nothing between its digits; remove the _"),
        ("[60s]", 1, 2, "a number has no letters after it; give it alone, without a unit"),
        ("[1e]", 1, 2, "a number has no letters after it; give it alone, without a unit"),
        ("[127.0.0.1]", 1, 2, "write text in double quotes"),
        ("[NaN]", 1, 2, "JSON has neither infinity nor NaN; give a number"),
        ("[-Infinity]", 1, 2, "JSON has neither infinity nor NaN; give a number"),
        ("[1,\u{0}]", 1, 4, "a NUL character, which no text has; remove it"),
        ("[\"a\u{0}\"]", 1, 4, "a NUL character, which no text has; remove it"),
        ("[\"a\tb\"]", 1, 4, "a tab or another control character in a string; write \\t, or \\u with four hexadecimal digits"),
        (#"["C:\Users"]"#, 1, 5, #"no escape of JSON; a backslash is written as \\"#),
        (#"["C:\users"]"#, 1, 5, #"write four hexadecimal digits after \u; a backslash is written as \\"#),
        ("{\"a\": \"x,\r\n\"b\": 1}", 1, 7, "the string that begins here lacks its closing quote"),
        (
            "{\"a\": 1,\n<<<<<<< HEAD\n\"b\": 1}", 2, 1,
            "a mark of a merge conflict; keep one of the two versions, and remove the marks"
        ),
        (
            "{\"a\": 1,\n\"b\": 1\n=======\n\"b\": 2}", 3, 1,
            "a mark of a merge conflict; keep one of the two versions, and remove the marks"
        ),
        ("{\"a\":\u{A0}1}", 1, 6, "a space that JSON does not have, such as a no-break space; type a plain one in its place"),
        ("{\"a\":\u{202F}1}", 1, 6, "a space that JSON does not have, such as a no-break space; type a plain one in its place"),
        ("\u{feff}{}", 1, 1, "starts with a byte order mark; save it as UTF-8 without one"),
    ])
    func `has the position of the mistake`(_ text: String, line: Int, column: Int, message: String) {
        let bytes = Array(text.utf8)
        #expect(throws: JSONError.self) { _ = try JSONDocument(parsing: bytes.span).value() }
        let hint = JSONSyntaxHint.first(in: bytes.span)
        #expect(hint?.message == message)
        #expect(hint?.place == JSONPlace(line: line, column: column))
    }

    @Test(arguments: ["", "{}", "[1, 0, -0.5, -2.5e3, 1E+2, true, null, \"a\\\"b\"]", "\"x\"", "{\"a\": [{}, []]}", " 1 "])
    func `is nil for valid JSON`(_ text: String) {
        #expect(JSONSyntaxHint.first(in: Array(text.utf8).span) == nil)
    }

    @Test func `accepts every prefix of a text`() {
        let bytes = Array("{\"a\": [1, {\"b\": \"\\u00e9\\\\\"}, true], 'c': “d” /* e */, f: nul}".utf8)
        for count in 0...bytes.count { _ = JSONSyntaxHint.first(in: bytes.span.extracting(..<count)) }
    }
}
