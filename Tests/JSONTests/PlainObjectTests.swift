import TestSupport
import Testing

@testable import JSON

@Suite struct PlainObjectTests {
    private static let sample = #"{"app_id":"a-1","user_id":"Пользователь №7 😀","security_key":"dgk1"}"#

    /// The members according to each of the two parsers; nil when a parser rejects the text.
    private func plain(_ text: [UInt8]) -> [String]? {
        guard let object = PlainObject(text.span) else { return nil }
        let names: [StaticString] = ["app_id", "user_id", "security_key"]
        return names.map { name in
            object.value(of: name, in: text.span).map { String(decoding: text[$0], as: UTF8.self) } ?? "(none)"
        }
    }

    private func document(_ text: [UInt8]) -> [String]? {
        guard let value = try? JSONDocument(parsing: text.span).value(), case .object(let object) = value else { return nil }
        return ["app_id", "user_id", "security_key"].map { name in
            if case .string(let text) = object[name] { text } else { "(none)" }
        }
    }

    @Test func `finds members in any order among others`() {
        #expect(plain(Array(Self.sample.utf8)) == ["a-1", "Пользователь №7 😀", "dgk1"])
        #expect(plain(Array(" {\n\"x\" :\t\"\" , \"user_id\":\"u\"\r}  ".utf8)) == ["(none)", "u", "(none)"])
    }

    @Test(arguments: [
        "", "{", "{}", "[]", "\"a\"", #"{"a"}"#, #"{"a":}"#, #"{"a":1}"#, #"{"a":null}"#, #"{"a":{}}"#, #"{"a":["b"]}"#, #"{"a":"b",}"#,
        #"{"a":"b"}}"#, #"{"a":"b"} x"#, #"{"a":"b\n"}"#, #"{"a":"\u0041"}"#, #"{"\u0061":"b"}"#, #"{"a":"b","a":"c"}"#, "{\"a\":\"\n\"}",
        "{\"a\":\"\u{0}\"}", #"{'a':'b'}"#, #"{"a":"b" "c":"d"}"#, "\u{FEFF}{\"a\":\"b\"}", #"{"a":"b""#, #"{"a":"b"#, "\u{B}{\"a\":\"b\"}",
        #"{"1":"","2":"","3":"","4":"","5":"","6":"","7":"","8":"","9":""}"#,
    ])
    func `passes other objects to jansson`(text: String) {
        #expect(PlainObject(Array(text.utf8).span) == nil)
    }

    @Test func `accepts up to eight members`() {
        #expect(PlainObject(Array(#"{"1":"","2":"","3":"","4":"","5":"","6":"","7":"","app_id":"8"}"#.utf8).span) != nil)
    }

    @Test func `passes invalid UTF-8 to jansson`() {
        for bytes: [UInt8] in [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82]] {
            #expect(plain(Array(#"{"app_id":""#.utf8) + bytes + Array(#""}"#.utf8)) == nil)
        }
    }

    @Test func `agrees with jansson on mutations`() {
        var generator = SeededGenerator(seed: 42)
        var recognised = 0
        let alphabet = Array("{}[]\":,\\ \n\tabcu0019_é".utf8) + [0, 0x1F, 0x7F, 0x80, 0xC3, 0xFF]
        for _ in 0..<60_000 {
            var text = Array(Self.sample.utf8)
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let index = Int.random(in: 0..<text.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: text.remove(at: index)
                case 1: text.insert(alphabet.randomElement(using: &generator) ?? 0, at: index)
                case 2: text[index] = alphabet.randomElement(using: &generator) ?? 0
                default: text.swapAt(index, Int.random(in: 0..<text.count, using: &generator))
                }
            }
            guard let found = plain(text) else { continue }
            recognised += 1
            #expect(document(text) == found)
        }
        #expect(recognised > 5000)
    }
}
