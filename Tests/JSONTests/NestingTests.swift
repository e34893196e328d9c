import JSON
import Testing

@Suite struct NestingTests {
    /// Opens `levels` of the pattern's brackets in turn and closes them.
    private static func nested(_ pattern: String, levels: Int) -> String {
        let opening = (0..<levels).map { Array(pattern)[$0 % pattern.count] }
        let open = opening.map { $0 == "[" ? "[" : #"{"k":"# }
        let close = opening.reversed().map { $0 == "[" ? "]" : "}" }
        return open.joined() + "1" + close.joined()
    }

    @Test(arguments: ["[", "{", "[{", "{[", "[[{", "{{["])
    func `allows exactly the maximum`(_ pattern: String) {
        #expect(refusal(of: Self.nested(pattern, levels: 32)) == nil)
        #expect(refusal(of: Self.nested(pattern, levels: 33))?.reason == .tooDeep)
        #expect(refusal(of: Self.nested(pattern, levels: 2), maximumDepth: 2) == nil)
        #expect(refusal(of: Self.nested(pattern, levels: 3), maximumDepth: 2)?.reason == .tooDeep)
    }

    @Test func `allows no container at depth zero`() {
        #expect(refusal(of: "1", maximumDepth: 0) == nil)
        #expect(refusal(of: "[]", maximumDepth: 0)?.reason == .tooDeep)
        #expect(refusal(of: "{}", maximumDepth: 0)?.reason == .tooDeep)
    }

    @Test func `counts depth and not brackets`() {
        let siblings = Array(repeating: #"[{"a":[]}]"#, count: 100).joined(separator: ",")
        #expect(refusal(of: "[\(siblings)]", maximumDepth: 4) == nil)
        #expect(refusal(of: "[\(siblings)]", maximumDepth: 3)?.reason == .tooDeep)
    }

    @Test(arguments: [
        #"[[{["#, #"\"[[[[[["#, #"\\\"[[[[[["#, #"\\[[[[[[\\"#, #"\u0022[[[[["#, "]]]]]][[[[[[", "é[[[[[[😀{{{{{{",
    ])
    func `ignores brackets in strings`(_ content: String) {
        let text = "[\"\(content)\", {\"\(content)\": \"\(content)\"}]"
        #expect(refusal(of: text, maximumDepth: 2) == nil)
        #expect(refusal(of: text, maximumDepth: 1)?.reason == .tooDeep)
    }

    @Test func `detects brackets after an escaped backslash`() {
        #expect(refusal(of: #"["\\",[["\\"]]]"#, maximumDepth: 2)?.reason == .tooDeep)
        #expect(refusal(of: #"["\\",[["\\"]]]"#, maximumDepth: 3) == nil)
    }

    @Test func `survives hostile depth`() {
        #expect(refusal(of: String(repeating: "[", count: 1_000_000))?.reason == .tooDeep)
        #expect(refusal(of: String(repeating: #"{"a":"#, count: 200_000))?.reason == .tooDeep)
    }

    @Test(arguments: [(#"[[["["#, .endOfInput), (#"[[["[\"#, .syntax), (#"[[["[\"]]]"#, .endOfInput)] as [(String, JSONError.Reason)])
    func `survives an end within a string`(_ text: String, _ reason: JSONError.Reason) {
        #expect(refusal(of: text, maximumDepth: 3)?.reason == reason)
    }

    @Test func `reports the position`() {
        #expect(refusal(of: "[\n \"é\", [\n[]]]", maximumDepth: 2)?.description == "line 3, column 1: nested too deep")
        #expect(refusal(of: "[\n \"é\", [[]]]", maximumDepth: 2)?.description == "line 2, column 8: nested too deep")
        #expect(refusal(of: "[\n \"é\", [[]]]", maximumDepth: 2)?.offset == 11)
    }
}
