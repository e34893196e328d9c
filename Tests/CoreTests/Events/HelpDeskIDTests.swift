import Core
import JSON
import TestSupport
import Testing

@Suite struct HelpDeskIDTests {
    /// A model of canonical integers in JSON: compares the text with the digits of its value.
    private static func isCanonical(_ text: String) -> Bool {
        let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }), digits.first != "0" || text == "0" else { return false }
        let bound = text.hasPrefix("-") ? "9223372036854775808" : "9223372036854775807"
        return digits.count == bound.count ? digits <= bound : digits.count < bound.count
    }

    @Test(arguments: [
        "0", "7", "-1", "9223372036854775807", "-9223372036854775808", "9007199254740993",
    ])
    func `a canonical integer is a number`(_ text: String) throws {
        let (id, number) = (try #require(HelpDeskID(text)), try #require(Int64(text)))
        #expect(id.number == number)
        #expect(id.json == .integer(number))
        #expect(id == HelpDeskID(number))
        #expect(id.text == text)
    }

    @Test(arguments: [
        "007", "-0", "+1", "00", " 1", "1 ", "1.0", "1e3", "9223372036854775808", "-9223372036854775809", "\u{0661}", "-",
        "sendbird_desk_1",
        "caf\u{E9}",
    ])
    func `anything else is a string`(_ text: String) throws {
        let id = try #require(HelpDeskID(text))
        #expect(id.number == nil)
        #expect(id.json == .string(text))
        #expect(id.text == text)
    }

    @Test func `the grammar is bytes without control characters`() {
        for text in ["", "\u{0}", "a\n", "\u{1F}", "\u{7F}", String(repeating: "x", count: 256), String(repeating: "é", count: 128)] {
            #expect(HelpDeskID(text) == nil)
        }
        for text in [" ", "x", "\u{80}", String(repeating: "x", count: 255), String(repeating: "é", count: 127)] {
            #expect(HelpDeskID(text)?.text == text)
        }
    }

    @Test func `identities are compared as bytes`() throws {
        #expect(HelpDeskID("7") != HelpDeskID("007"))
        #expect(7 as HelpDeskID == "7")
        #expect(HelpDeskID("caf\u{E9}") != HelpDeskID("cafe\u{301}"))
        #expect(Set(["caf\u{E9}", "cafe\u{301}", "caf\u{E9}"].compactMap { HelpDeskID($0) }).count == 2)
    }

    /// Random texts of few characters: the result matches the model, and survives a round trip.
    @Test(arguments: 0..<20) func `an identity survives a round trip`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let text = (0..<Int.random(in: 1...21, using: &random)).map { _ in
                random.element(of: ["0", "1", "9", "9", "2", "-", "7"]) + (Int.random(in: 0..<40, using: &random) == 0 ? "é\"" : "")
            }.joined()
            let id = try #require(HelpDeskID(text))
            #expect((id.json.integer != nil) == Self.isCanonical(text), "\(text)")
            let element = try JSONElement(parsing: id.json.serialized().span)
            #expect(HelpDeskID(element) == id)
        }
    }

    @Test(arguments: ["null", "true", "1.0", "[]", "{}", "\"\"", "9223372036854775808"])
    func `other values are rejected`(_ json: String) throws {
        #expect(try HelpDeskID(JSONElement(parsing: Array(json.utf8).span)) == nil)
    }
}
