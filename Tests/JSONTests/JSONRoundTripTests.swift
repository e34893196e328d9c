import TestSupport
import Testing

@testable import JSON

@Suite struct JSONRoundTripTests {
    private static let interesting = Array("\"\\[]{},:0123456789eE.-+ntfu\0 \n".utf8) + [0x80, 0xC3, 0xE0, 0xED, 0xF0, 0xFF]

    private func mutated(_ bytes: [UInt8], using generator: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            let index = Int.random(in: bytes.indices, using: &generator)
            let byte = Self.interesting.randomElement(using: &generator) ?? 0
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: bytes[index] = byte
            case 1: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 2: bytes.insert(byte, at: index)
            case 3: bytes.remove(at: index)
            default: bytes.insert(contentsOf: bytes[index..<min(index + 8, bytes.count)], at: index)
            }
        }
        return bytes
    }

    private func expectRoundTrip(_ original: JSONValue) throws {
        for pretty in [false, true] {
            #expect(try value(of: original.serialized(pretty: pretty)) == original)
            let written = original.withoutNumbers
            #expect(written.serialized(pretty: pretty) == written.writtenByJansson(pretty: pretty))
        }
    }

    @Test func `a sample survives a round trip`() throws {
        let original = try value(of: sampleText)
        try expectRoundTrip(original)
        guard case .object(let object) = original, case .object(let nested) = object["nested"] else {
            Issue.record("not an object")
            return
        }
        #expect(object["user_id"] == .string("caf\u{e9} 😀"))
        let texts = object["numbers"]?.elements.map { String(decoding: $0.serialized(), as: UTF8.self) }
        #expect(texts == ["0", "-1", "9223372036854775807", "-9223372036854775808", "1.5", "-2.25e-3", "1E+2"])
        #expect(nested["text"] == .string("\"\\/\u{8}\u{c}\n\r\t\0 é 漢 😀 [{"))
    }

    @Test(arguments: [UInt64](0..<8))
    func `survives mutations`(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let sample = Array(sampleText.utf8)
        var accepted = 0
        for _ in 0..<4_000 {
            let bytes = mutated(sample, using: &generator)
            guard refusal(of: bytes) == nil else {
                #expect(JSONValue(parsing: bytes) == nil)
                continue
            }
            accepted += 1
            #expect(try JSONValue(parsing: bytes) == value(of: bytes))
            #expect(try JSONValue(readByJansson: bytes) == value(of: bytes).withDoubles)
            try expectRoundTrip(value(of: bytes))
        }
        // Both results must occur often, or the mutations prove nothing.
        #expect((200...3_000).contains(accepted))
    }

    @Test func `real numbers survive a round trip exactly`() throws {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<5_000 {
            let real = Double(bitPattern: generator.next())
            guard real.isFinite else { continue }
            guard case .number(let read) = try value(of: JSONValue.real(real).serialized()) else {
                Issue.record("a real came back as another kind")
                return
            }
            #expect(read.double.bitPattern == real.bitPattern)
        }
    }

    /// A number is written as the text that was parsed.
    @Test func `any number keeps its text`() throws {
        var generator = SeededGenerator(seed: 2)
        var accepted = 0
        for _ in 0..<5_000 {
            let text = JSONNumberText.random(using: &generator)
            guard let value = try? value(of: text) else {
                #expect(JSONValue(readByJansson: Array(text.utf8)) == nil, "\(text)")
                continue
            }
            accepted += 1
            // A 64-bit integer may be -0.
            #expect(String(decoding: value.serialized(), as: UTF8.self) == (text == "-0" ? "0" : text))
            #expect(JSONValue(readByJansson: Array(text.utf8)) == value.withDoubles, "\(text)")
        }
        #expect(accepted > 2_000)
    }
}
