import TestSupport
import Testing

@testable import JSON

/// `JSONElement` must return the values that jansson returns. It may reject a document that jansson accepts, but never the reverse.
@Suite struct JSONElementTests {
    private static let samples = [
        sampleText,
        #"{"ticket_id":1234,"token":{"user_id":"Пользователь","type":"ios"},"list":[{"id":-5},[],"\u00e9\n"],"flag":true,"none":null}"#,
        #"{"a\u0062":1.5E+3,"\ud83d\ude00":-9223372036854775808,"n":[9223372036854775807,1e30,0.1,"\udbff\udfff"]}"#,
        #" [ 0 , -0 , 123456789012345678 , "\ud83d\ude00" , { "a" : false } ] "#,
    ]

    /// The values of a document with their kinds; for a number with a fraction the nearest `Double`.
    private func copy(_ value: JSONValue) -> String {
        switch value {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .number(let number): "\(number.double)"
        case .string(let text): "\(Array(text.utf8))"
        case .array(let values): "[\(values.map(copy).joined(separator: ","))]"
        case .object(let object): "{\(object.members.map { "\(Array($0.key.utf8)):\(copy($0.value))" }.joined(separator: ","))}"
        }
    }

    /// The same for a tape, entry by entry.
    private func copy(_ element: JSONElement, of tape: JSONTape, at index: Int) -> String {
        switch element.kind {
        case .null: return "null"
        case .bool: return element.bool.map { "\($0)" } ?? "?"
        case .integer: return element.integer.map { "\($0)" } ?? "?"
        case .real: return element.number.map { "\($0.double)" } ?? "?"
        case .string: return element.string.map { "\(Array($0.utf8))" } ?? "?"
        case .array: return "[\(parts(of: tape, at: index).joined(separator: ","))]"
        case .object:
            let parts = parts(of: tape, at: index)
            let members = stride(from: 0, to: parts.count, by: 2).map { "\(parts[$0]):\(parts[$0 + 1])" }
            return "{\(members.joined(separator: ","))}"
        }
    }

    private func parts(of tape: JSONTape, at index: Int) -> [String] {
        var parts: [String] = []
        var next = index + 1
        while next < tape.entries[index].end {
            parts.append(copy(JSONElement(tape, next), of: tape, at: next))
            next = tape.entries[next].end
        }
        return parts
    }

    private func copy(_ tape: JSONTape) -> String { copy(JSONElement(tape, 0), of: tape, at: 0) }

    private func element(_ text: String) throws(JSONError) -> JSONElement {
        try JSONElement(parsing: Array(text.utf8).span)
    }

    @Test(arguments: samples)
    func `returns the same values as jansson`(_ text: String) throws {
        let bytes = Array(text.utf8)
        let expected = try #require(JSONValue(readByJansson: bytes))
        #expect(copy(try JSONTape.parsed(bytes.span, maximumDepth: 32)) == copy(expected))
        #expect(copy(try value(of: text)) == copy(expected))
    }

    @Test func `finds members and elements`() throws {
        let root = try element(#"{"a":{"b":[1,"x",null]},"ab":true,"c":"\u0000"}"#)
        let list = root["a"]?["b"]
        #expect(list?.elements.map(\.kind) == [.integer, .string, .null])
        #expect(list?.elements.first?.integer == 1)
        #expect(list?.elements[1].string == "x")
        #expect(root["ab"]?.bool == true)
        #expect(root["c"]?.string == "\u{0}")
        for name in ["b", "abc", ""] as [StaticString] { #expect(root[name] == nil) }
    }

    @Test(arguments: ["null", "true", "1", "1.5", #""x""#, "[]", "{}"])
    func `has exactly one kind`(_ text: String) throws {
        let root = try element(text)
        #expect((root.bool != nil) == (root.kind == .bool))
        #expect((root.integer != nil) == (root.kind == .integer))
        #expect((root.string != nil) == (root.kind == .string))
        #expect(root.elements.isEmpty)
        #expect(root["x"] == nil)
    }

    @Test(arguments: [
        "", " ", "{", "[1", "{}x", "01", "-", "+1", "1.", "truth", "nul", #""\x""#, #""\u12""#, #""\ud83""#, #""\ud83d\"#,
        #""\ud83d\ude0""#,
        "\"\n\"", #"{"a":1,"a":2}"#, #"{"a":1,"\u0061":2}"#, #"{"a":1,}"#, "[1,]", "[,1]", "{1:2}", "1e", "1.e1", "1e+", "-01", ".5",
        "1.5.",
        "\u{FEFF}{}", "'a'",
    ])
    func `rejects what jansson rejects`(_ text: String) throws {
        let expected = try #require(refusal(of: text))
        #expect(throws: expected) { try element(text) }
    }

    @Test func `rejects a duplicate key among many`() throws {
        let members = (0..<100).map { "\"k\($0)\":\($0)" }
        for again in ["k0", "k99", #"k\u0035"#] {
            let text = "{\((members + ["\"\(again)\":1"]).joined(separator: ","))}"
            #expect(throws: try #require(refusal(of: text))) { try element(text) }
        }
    }

    @Test(arguments: [
        "9223372036854775808", "-9223372036854775809", "1e999", "-1E+999", "0.1e5000", #""\ud83d""#, #""\ud83dx""#, #""\ude00\ud83d""#,
        #""\ud83d\u0041""#, #"{"a\u0000":1,"a\u0000b":2}"#, #"{"\ud800":1,"\ud801":2}"#,
    ])
    func `skips unused values`(_ unread: String) throws {
        #expect(refusal(of: unread) != nil)
        let root = try element(#"{"x":\#(unread),"a":7}"#)
        #expect(root["a"]?.integer == 7)
        let value = try #require(root["x"])
        #expect(value.integer == nil)
        #expect(value.number == nil)
        #expect(value.string == nil)
        #expect(value.bool == nil)
        #expect(JSONTape.strict(Array(unread.utf8), maximumDepth: 32) == nil)
    }

    @Test(arguments: [
        ("1.5", "1.5"), ("1E2", "1E2"), ("0.10", "0.10"), ("1e-400", "1e-400"), ("1e400", nil), ("9223372036854775808", nil), ("1", nil),
        (#""1.5""#, nil),
    ])
    func `keeps the digits of a number`(_ text: String, _ digits: String?) throws {
        #expect(try element("[\(text)]").elements[0].number?.text == digits)
    }

    private static func nines(_ count: Int) -> String { String(repeating: "9", count: count) }

    @Test(arguments: [
        ("1e400", true), ("-1e400", true), ("9223372036854775808", true), ("1.5", false), ("1", false), (#""\ud800""#, false),
        ("1e99", false), ("1e308", false), ("1e309", true), ("1e-999", false), ("1E+0000000001", false), ("1e+0000000400", true),
        ("\(nines(196)).0e9", false), ("\(nines(190)).0e99", false), ("\(nines(210)).0e99", true), ("\(nines(308)).0", false),
        ("\(nines(309)).0", true), ("0.\(nines(400))", false),
    ])
    func `reports a number that is out of range`(_ text: String, _ expected: Bool) throws {
        #expect(try element(text).isNumberOutOfRange == expected)
    }

    @Test func `returns the names of its members`() throws {
        let members = try element(#"{"a":1,"\u0062":2,"\ud800":3}"#).members
        #expect(members.map(\.name) == ["a", "b", "\u{FFFD}"])
        #expect(members.map(\.value.integer) == [1, 2, 3])
    }

    @Test(arguments: [#"{"a\u0000":1,"a\u0000":2}"#, #"{"\ud800":1,"\ud800":2}"#])
    func `rejects duplicate keys of any kind`(_ text: String) {
        #expect(throws: JSONError.self) { try element(text) }
    }

    /// Strings are scanned eight bytes at a time: every byte is tested at every position of such a word, and after it.
    @Test func `reads every byte at every position like jansson`() {
        for byte in UInt8.min...UInt8.max {
            for place in 0..<10 {
                let text = Array("[\"".utf8) + Array(repeating: UInt8(ascii: "a"), count: place) + [byte] + Array("a!\"]".utf8)
                let element = try? JSONElement(parsing: text.span)
                #expect(
                    element?.elements.first?.string == JSONValue(readByJansson: text).flatMap { $0.elements.first?.text },
                    "\(byte) at \(place)")
            }
        }
    }

    /// Most keys differ in a hash of their length and first letter, and the others are compared.
    @Test(arguments: 0..<200 as Range<UInt64>)
    func `finds duplicate keys`(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let keys = (0..<Int.random(in: 1...40, using: &random)).map { _ in
            String((0..<Int.random(in: 0...3, using: &random)).map { _ in "abc".randomElement(using: &random) ?? "a" })
        }
        let isEscaped = Bool.random(using: &random)
        let members = keys.map { "\"\(isEscaped ? $0.replacing("a", with: "\\u0061") : $0)\":{\"a\":1}" }
        let isRepeated = Set(keys).count < keys.count
        #expect(((try? element("{\(members.joined(separator: ","))}")) == nil) == isRepeated, "\(keys)")
    }

    /// jansson would stop at the number.
    @Test func `reports the mistake instead of a skipped number`() {
        #expect(throws: JSONError(reason: .duplicateKey, line: 1, column: 20, offset: 20)) { try element(#"{"a":1e999,"b":1,"a":2}"#) }
    }

    @Test func `limits the number of values`() throws {
        let text = Array(#"{"a":[1,2],"b":3}"#.utf8)
        #expect(throws: Never.self) { try JSONElement(parsing: text.span, maximumValues: 7) }
        let error = #expect(throws: JSONError.self) { try JSONElement(parsing: text.span, maximumValues: 6) }
        #expect(error?.reason == .tooManyValues)
    }

    /// Otherwise jansson would build a tree of all values to report the mistake.
    @Test func `limits the values of invalid text too`() {
        for end in [[0xFF], [0x5D, 0x78], [0x2C], []] as [[UInt8]] {
            let text = Array("[0,0,0,0,0,0,0,0".utf8) + end
            let error = #expect(throws: JSONError.self) { try JSONElement(parsing: text.span, maximumValues: 4) }
            #expect(error?.reason == .tooManyValues)
        }
    }

    @Test(arguments: [1, 2, 31, 32, 33, 40])
    func `limits the depth`(_ depth: Int) {
        for (open, close) in [("[", "]"), (#"{"a":"#, "}"), (#"[{"a":"#, "}]")] {
            let text = String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
            let expected = refusal(of: text)
            do {
                _ = try element(text)
                #expect(expected == nil)
            } catch {
                #expect(error == expected)
            }
        }
    }

    @Test func `parses escapes and whitespace`() throws {
        let members = (0..<100).map { "\"k\($0)\":\($0)" }.joined(separator: ",")
        let text = #"{"\u006bey":1.5e3,"large":9223372036854775807,"many":{\#(members)},"text":"\u00e9"}"#
        let root = try element(text)
        #expect(root["key"]?.kind == .real)
        #expect(root["large"]?.integer == .max)
        #expect(root["many"]?["k99"]?.integer == 99)
        #expect(root["text"]?.string == "é")
    }

    @Test func `passes invalid UTF-8 to jansson`() throws {
        for bytes: [UInt8] in [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82]] {
            let text = Array(#"{"a":""#.utf8) + bytes + Array(#""}"#.utf8)
            #expect(throws: try #require(refusal(of: text))) { try JSONElement(parsing: text.span) }
        }
    }

    @Test(arguments: samples.indices)
    func `agrees with jansson on mutations`(sample: Int) {
        var generator = SeededGenerator(seed: UInt64(sample))
        var recognised = 0
        let alphabet = Array("{}[]\":,\\ \n\tabcdtrufn\\u0019_é-.eE+".utf8) + [0, 0x1F, 0x7F, 0x80, 0xC3, 0xFF]
        for _ in 0..<6_000 {
            var text = Array(Self.samples[sample].utf8)
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let index = Int.random(in: 0..<text.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: text.remove(at: index)
                case 1: text.insert(alphabet.randomElement(using: &generator) ?? 0, at: index)
                case 2: text[index] = alphabet.randomElement(using: &generator) ?? 0
                default: text.swapAt(index, Int.random(in: 0..<text.count, using: &generator))
                }
            }
            guard let tape = try? JSONTape.parsed(text.span, maximumDepth: 32) else {
                // Outside of strings jansson treats NUL as the end of the text.
                #expect(refusal(of: text) != nil || text.contains(0))
                continue
            }
            recognised += 1
            if let error = refusal(of: text) {
                let isHalf = error.reason == .syntax && text.indices.contains { text[$0...].starts(with: #"\ud"#.utf8) }
                #expect(error.reason == .numberOutOfRange || error.reason == .nulInKey || isHalf, "\(text)")
                #expect(JSONValue(readByJansson: text) == nil)
            } else {
                #expect(JSONValue(readByJansson: text).map(copy) == copy(tape))
            }
        }
        #expect(recognised > 300)
    }
}
