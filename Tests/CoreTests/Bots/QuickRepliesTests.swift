import Core
import TestSupport
import Testing

/// Quick replies that a model has embedded in a bot's text, also under the influence of a hostile text.
@Suite struct QuickRepliesTests {
    /// A block with this JSON.
    private static func block(_ json: String) -> String { "JSON^\(json)^NSOJ" }

    private static let yes = block(#"{"options":["Yes"]}"#)

    @Test func `a text without a block is unchanged`() {
        for text in ["", " Hello \n", "JSON {\"options\":[\"a\"]}", "^NSOJ", "JSO^N", "JSON"] {
            let replies = QuickReplies(in: text)
            #expect(replies.text == text)
            #expect(replies.options.isEmpty)
            #expect(replies.cut == 0)
            #expect(replies.broken == 0)
        }
    }

    @Test(arguments: [
        ("Shall I? JSON^{\"options\":[\"Yes\"]}^NSOJ", "Shall I?"), ("JSON^{\"options\":[\"Yes\"]}^NSOJ\n Shall I? ", "Shall I? "),
        (" a JSON^{\"options\":[\"Yes\"]}^NSOJ b ", " a b "), ("aJSON^{\"options\":[\"Yes\"]}^NSOJb", "a b"),
        ("a\n\nJSON^{\"options\":[\"Yes\"]}^NSOJ\nb", "a\n\nb"), ("aJSON^{\"options\":[\"Yes\"]}^NSOJ\nb", "a\nb"),
        ("JSON^{\"options\":[\"Yes\"]}^NSOJ", ""), (" \n JSON^ {\"options\" : [\"Yes\"]} ^NSOJ \n ", ""),
        ("é JSON^{\"options\":[\"Yes\"]}^NSOJ 😀", "é 😀"),
    ]) func `a block is removed with the white space around it`(_ text: String, _ rest: String) {
        let replies = QuickReplies(in: text)
        #expect(replies.text == rest)
        #expect(replies.options == ["Yes"])
        #expect(replies.cut == 1)
        #expect(replies.broken == 0)
    }

    @Test(arguments: [
        (#"{"options":["Yes","No"]}"#, ["Yes", "No"]), (#"{"option":["Yes","No"]}"#, ["Yes", "No"]), (#"{"option":"Yes"}"#, ["Yes"]),
        (#"{"options":"Yes"}"#, ["Yes"]), (#"{"option":"b","options":["a"],"more":[1]}"#, ["a", "b"]), (#"{"options":[]}"#, []),
        (#"{"options":["a","a","A"]}"#, ["a", "A"]), (#"{"options":["\u0416","é","e\u0301"]}"#, ["Ж", "é", "e\u{301}"]),
    ]) func `options and option accept a text or a list of texts`(_ json: String, _ options: [String]) {
        let replies = QuickReplies(in: "a \(Self.block(json))")
        #expect(replies.options.map { Array($0.utf8) } == options.map { Array($0.utf8) })
        #expect(replies.text == "a")
    }

    @Test(arguments: [
        "", "{", "null", "[]", #"["Yes"]"#, "{}", #"{"Options":["a"]}"#, #"{"options":null}"#, #"{"options":{}}"#, #"{"options":[1]}"#,
        #"{"options":[["a"]]}"#, #"{"options":[""]}"#, #"{"options":["a\nb"]}"#, #"{"options":["a\u007f"]}"#, #"{"options":["a\u0085"]}"#,
        #"{"options":["\ud800"]}"#, #"{"options":["a"],"options":["b"]}"#, #"{"options":["a"],"option":1}"#, #"{"options":["a"]} x"#,
        #"{options:["a"]}"#, #"{"options":["a",]}"#,
    ]) func `a malformed block stays in the text`(_ json: String) {
        let text = "a \(Self.block(json)) b"
        let replies = QuickReplies(in: text)
        #expect(replies.text == text)
        #expect(replies.options.isEmpty)
        #expect(replies.cut == 0)
        #expect(replies.broken == 1)
    }

    @Test func `a reply has at most 200 UTF-16 code units`() {
        for (character, count) in [("😀", 100), ("x", 200), ("😀", 101), ("x", 201)] {
            let option = String(repeating: character, count: count)
            let isReply = option.utf16.count == 200
            let replies = QuickReplies(in: Self.block("{\"options\":[\"\(option)\"]}"))
            #expect(replies.options == (isReply ? [option] : []))
            #expect(replies.broken == (isReply ? 0 : 1))
        }
    }

    @Test func `a block has at most 20 replies`() {
        let numbers = (1...21).map { "\($0)" }
        let list = { (count: Int) in numbers.prefix(count).map { "\"\($0)\"" }.joined(separator: ",") }
        #expect(QuickReplies(in: Self.block("{\"options\":[\(list(20))]}")).options == Array(numbers.prefix(20)))
        #expect(QuickReplies(in: Self.block("{\"options\":[\(list(21))]}")).broken == 1)
        #expect(QuickReplies(in: Self.block("{\"options\":[\(list(20))],\"option\":\"a\"}")).broken == 1)
    }

    @Test func `the replies of several blocks are joined up to 20`() {
        let blocks = (0..<7).map { row in
            Self.block("{\"options\":[\((0..<4).map { "\"\(row * 3 + $0)\"" }.joined(separator: ","))]}")
        }
        let replies = QuickReplies(in: "a " + blocks.joined(separator: " and ") + " b")
        #expect(replies.options == (0..<20).map { "\($0)" })
        #expect(replies.cut == 7)
        #expect(replies.text == "a and and and and and and b")
    }

    @Test func `a valid block after a malformed one is removed`() {
        let replies = QuickReplies(in: "\(Self.block("1")) a \(Self.yes) b JSON^ c")
        #expect(replies.text == "\(Self.block("1")) a b JSON^ c")
        #expect(replies.options == ["Yes"])
        #expect(replies.broken == 2)
    }

    @Test func `a block within another one stays in the text`() {
        let text = #"JSON^{"options":["\#(Self.yes)"]}^NSOJ"#
        let replies = QuickReplies(in: text)
        #expect(replies.text == text)
        #expect(replies.broken == 1)
    }

    /// Parsing the remaining text again, first by Deskgate and then by an app, must find no further replies.
    @Test func `the remaining text has no further block`() {
        var generator = SeededGenerator(seed: 61)
        let parts = [
            "JSON^", "^NSOJ", "JS", "ON^", "^NS", "OJ", "J", "^", Self.yes, Self.block(#"{"option":"a"}"#), Self.block("1"),
            #"{"options":["#, #"{"options":["a"]}"#, "\"", "]}", " ", "\n", "é",
        ]
        var cut = 0
        for _ in 0..<5000 {
            let text = (0..<Int.random(in: 0...12, using: &generator)).map { _ in generator.element(of: parts) }.joined()
            let once = QuickReplies(in: text)
            let twice = QuickReplies(in: once.text)
            #expect(twice.text == once.text, "\(text)")
            #expect(twice.cut == 0, "\(text)")
            cut += once.cut
        }
        #expect(cut > 1000)
    }

    /// An implementation with quadratic time does not end.
    @Test(arguments: [("JSON^", 1_000_000, 1), ("^NSOJ", 1_000_000, 0), ("JSON^^NSOJ", 6553, 6553), ("JSON^{", 100_000, 1)])
    func `hostile repetitions stay in the text`(_ part: String, count: Int, broken: Int) {
        let text = String(repeating: part, count: count)
        let replies = QuickReplies(in: text)
        #expect(replies.broken == broken)
        #expect(replies.text.utf8.elementsEqual(text.utf8))
    }

    @Test func `hostile nesting and white space are parsed in linear time`() {
        let deep = Self.block(String(repeating: "[", count: 100_000))
        #expect(QuickReplies(in: deep).broken == 1)
        let space = String(repeating: " ", count: 30_000)
        #expect(QuickReplies(in: space + Self.yes + space + Self.yes + space).text.isEmpty)
        #expect(QuickReplies(in: String(repeating: Self.yes, count: 2500)).options == ["Yes"])
    }
}
