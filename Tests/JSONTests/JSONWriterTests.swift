import Testing

@testable import JSON

@Suite struct JSONWriterTests {
    private static let texts: [String] =
        ["", "plain", "\"", "\\", "/", "é 漢 😀", "\u{7F}", "\u{2028}", "\u{FEFF}", "a\"b\\c\nd", "{", "[", "ends with {", "ends with ["]
        + (0..<0x20).map { "a\(Unicode.Scalar(UInt8($0)))" }

    @Test(arguments: texts)
    func `writes text like a value`(_ text: String) {
        var writer = JSONWriter(capacity: 0)
        writer.beginObject()
        writer.add("a", text)
        writer.add("b", text)
        writer.endObject()
        #expect(writer.bytes == (["a": .string(text), "b": .string(text)] as JSONValue).writtenByJansson(pretty: false))
    }

    @Test(arguments: [Int64.min, -10, -1, 0, 1, 9, 10, 1_234_567_890, Int64.max] as [Int64])
    func `writes integers like a value`(_ integer: Int64) {
        var writer = JSONWriter(capacity: 100)
        writer.beginObject()
        writer.add("a", integer)
        writer.endObject()
        #expect(writer.bytes == (["a": .integer(integer)] as JSONValue).writtenByJansson(pretty: false))
    }

    @Test func `nests like a value`() {
        var writer = JSONWriter(capacity: 10)
        writer.beginObject()
        writer.beginObject("empty")
        writer.endObject()
        writer.beginArray("none")
        writer.endArray()
        writer.beginArray("two")
        for number: Int64 in 1...2 {
            writer.beginObject()
            writer.add("n", number)
            writer.endObject()
        }
        writer.endArray()
        writer.add("text", nil as String?)
        writer.add("number", nil as Int64?)
        writer.addNull("null")
        writer.endObject()
        let value: JSONValue = ["empty": [:], "none": [], "two": [["n": 1], ["n": 2]], "text": nil, "number": nil, "null": nil]
        #expect(writer.bytes == value.writtenByJansson(pretty: false))
    }
}
