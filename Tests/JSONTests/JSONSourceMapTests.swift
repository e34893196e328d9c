import JSON
import Testing

@Suite struct JSONSourceMapTests {
    private func sourceMap(_ text: String) -> JSONSourceMap? {
        let bytes = Array(text.utf8)
        return JSONSourceMap(bytes.span)
    }

    @Test func `has the position of each value`() throws {
        let text = " { \"a\" : [ 1 , -2.5e3,\"x\\\"]\" ] ,\n\"\\u0062\\n\":{\"c\":null}, \"é\": true } "
        let root = try #require(sourceMap(text))
        func shown(_ value: JSONSourceMap?) -> String? {
            value.map { String(decoding: Array(text.utf8)[$0.range], as: UTF8.self) }
        }
        #expect(shown(root) == String(text.dropFirst().dropLast()))
        #expect(root.members.map(\.name) == ["a", "b\n", "é"])
        #expect(shown(root["a"]) == "[ 1 , -2.5e3,\"x\\\"]\" ]")
        #expect(root["a"]?.elements.map { shown($0) } == ["1", "-2.5e3", "\"x\\\"]\""])
        #expect(shown(root["b\n"]?["c"]) == "null")
        #expect(shown(root["é"]) == "true")
        #expect(String(decoding: Array(text.utf8)[root.members[1].nameRange], as: UTF8.self) == "\"\\u0062\\n\"")
        #expect(root["e\u{301}"] == nil, "names are compared as bytes")
        #expect(root["missing"] == nil)
        #expect(root["a"]?["a"] == nil)
    }

    @Test(arguments: ["", "{", "{\"a\"}", "{\"a\":}", "[1,]", "[1 2]", "{} x", "tru", "\"", "[\"\\q\"]", "{1:2}", "01", "{\"a\":1,}"])
    func `is nil if the text is not JSON`(_ text: String) {
        let isJSON = sourceMap(text) != nil
        #expect(!isJSON)
    }

    @Test(arguments: [
        ("{}", []), (#"{"a":1,"b":{"c":[]}}"#, ["a", "b"]), (#"{"a":1,"b":{"c":[}}"#, ["a"]), (#"{"a":1,}"#, ["a"]),
        (#"{"a":{} "b":1}"#, ["a"]), (#"{"a":{}} x"#, ["a"]), (#"{"a":{}"#, ["a"]), (#"{"a"}"#, []), (#"{a:1,"b":2}"#, []),
        (#"["a",1]"#, []), ("", []),
    ])
    func `has the members before the first mistake`(_ text: String, _ names: [String]) {
        let bytes = Array(text.utf8)
        #expect(JSONSourceMap.members(of: bytes.span).map(\.name) == names)
    }

    @Test func `limits the depth`() {
        func nested(_ depth: Int) -> Bool {
            sourceMap(String(repeating: "[", count: depth) + String(repeating: "]", count: depth)) != nil
        }
        #expect(nested(JSONDocument.defaultDepth))
        #expect(!nested(JSONDocument.defaultDepth + 1))
    }
}
