import JSON
import JSONSchema
import TestSupport
import Testing

/// Numbers, bounds of work, texts of queries, and the canonical form.
@Suite struct SchemaWorkTests {
    private func value(_ text: String) throws -> JSONValue {
        let bytes = Array(text.utf8)
        return try JSONDocument(parsing: bytes.span).value()
    }

    private func accepts(_ schema: String, _ data: String) throws -> Bool {
        try JSONSchema(value(schema)).violations(in: value(data)).isEmpty
    }

    @Test(
        arguments: [
            (#"{"type":"integer"}"#, "1.0", true), (#"{"type":"integer"}"#, "1e20", true), (#"{"type":"integer"}"#, "1.5", false),
            (#"{"type":"integer"}"#, "-0.0", true), (#"{"const":9007199254740993}"#, "9007199254740993", true),
            (#"{"const":9007199254740993}"#, "9007199254740992", false), (#"{"maximum":9007199254740992}"#, "9007199254740993", false),
            (#"{"maximum":9007199254740992.0}"#, "9007199254740993", false),
            (#"{"minimum":-9223372036854775808}"#, "-9223372036854775808", true),
            (#"{"const":1}"#, "1.0", true), (#"{"enum":[{"a":1,"b":2}]}"#, #"{"b":2.0,"a":1e0}"#, true), (#"{"const":true}"#, "1", false),
            (#"{"const":0}"#, "-0.0", true), (#"{"const":""}"#, "null", false), (#"{"multipleOf":0.1}"#, "0.3", true),
            (#"{"multipleOf":0.01}"#, "4.35", true), (#"{"multipleOf":0.0001}"#, "0.0075", true),
            (#"{"multipleOf":7}"#, "9223372036854775807", true),
            (#"{"multipleOf":1e-8}"#, "12391239123", true), (#"{"multipleOf":3}"#, "1e308", false), (#"{"multipleOf":2}"#, "1e308", true),
            (#"{"multipleOf":1e308}"#, "5", false), (#"{"multipleOf":0.123456789}"#, "1e308", false),
            (#"{"multipleOf":5e-324}"#, "1e308", true),
            (#"{"minimum":1e-300}"#, "1e-301", false), (#"{"minimum":1e-300}"#, "-1e300", false), (#"{"maximum":1e300}"#, "9e299", true),
            (#"{"minLength":1,"maxLength":1}"#, #""\uD83D\uDE00""#, true), (#"{"maxLength":1}"#, "\"e\u{301}\"", false),
            (#"{"const":"é"}"#, "\"e\u{301}\"", false), (#"{"const":"a\u0000b"}"#, #""a\u0000b""#, true),
        ]) func isExact(_ schema: String, _ data: String, _ expected: Bool) throws
    {
        #expect(try accepts(schema, data) == expected)
    }

    @Test func ordersNumbersLikeIntegers() throws {
        var generator = SeededGenerator(seed: 17)
        for _ in 0..<2000 {
            let (left, right) = (Int64.random(in: -1000...1000, using: &generator), Int64.random(in: -1000...1000, using: &generator))
            // The same numbers as hundredths.
            let (a, b) = ("\(Double(left) / 100)", "\(Double(right) / 100)")
            #expect(try accepts(#"{"minimum":\#(b)}"#, a) == (left >= right))
            #expect(try accepts(#"{"exclusiveMaximum":\#(b)}"#, a) == (left < right))
            #expect(try accepts(#"{"const":\#(b)}"#, a) == (left == right))
            if right > 0 { #expect(try accepts(#"{"multipleOf":\#(b)}"#, a) == left.isMultiple(of: right)) }
        }
    }

    @Test func boundsTheWork() throws {
        // Each definition refers to the next one four times: 4^12 comparisons of one value.
        let definitions = (0..<12).map { index in
            let next = "{\"$ref\":\"#/$defs/d\(index + 1)\"}"
            return "\"d\(index)\":{\"allOf\":[\(next),\(next),\(next),\(next)]}"
        }
        let schema = try JSONSchema(value("{\"$ref\":\"#/$defs/d0\",\"$defs\":{\(definitions.joined(separator: ",")),\"d12\":{}}}"))
        #expect(schema.violations(in: 1).first?.description == "the value would take too long to check; give fewer values")
        let quiet = try JSONSchema(
            value("{\"anyOf\":[{\"$ref\":\"#/$defs/d0\"},{}],\"$defs\":{\(definitions.joined(separator: ",")),\"d12\":{}}}"))
        #expect(!quiet.violations(in: 1).isEmpty)
        let parts = (0..<10_001).map { "\"p\($0)\":{}" }.joined(separator: ",")
        let tooMany = try value("{\"properties\":{\(parts)}}")
        #expect(throws: JSONSchema.Mistakes.self) { try JSONSchema(tooMany) }
    }

    /// Each level compares the text of everything in it, which is counted by its length.
    @Test(arguments: [(1000, true), (400_000, true), (600_000, false)]) func boundsTheWorkOfComparingItems(_ count: Int, _ isValid: Bool)
        throws
    {
        let levels = (0..<15).map { "\"d\($0)\":{\"type\":\"array\",\"uniqueItems\":true,\"items\":{\"$ref\":\"#/$defs/d\($0 + 1)\"}}" }
        let schema = try JSONSchema(value("{\"$ref\":\"#/$defs/d0\",\"$defs\":{\(levels.joined(separator: ",")),\"d15\":{}}}"))
        let text = JSONValue.string(String(repeating: "x", count: count))
        let nested = (0..<15).reduce(text) { inner, _ in .array([inner]) }
        #expect(schema.violations(in: nested).isEmpty == isValid)
    }

    @Test func checksManyItemsInNoTime() throws {
        let many = JSONValue.array((0..<30_000).map { .array([.integer($0), .string("x")]) })
        let schema = try JSONSchema(value(#"{"type":"array","uniqueItems":true,"items":{"type":"array","minItems":2}}"#))
        #expect(schema.violations(in: many).isEmpty)
    }

    @Test(
        arguments: [
            ("i", "5", 5), ("i", "5.0", .real(5)), ("i", "five", "five"), ("i", "", ""), ("i", "\"5\"", "\"5\""),
            ("n", "-1.5", .real(-1.5)),
            ("b", "true", true), ("b", "1", "1"), ("s", "5", "5"), ("s", "true", "true"), ("sn", "null", "null"), ("l", "[1]", [1]),
            ("l", #"{"a":1}"#, #"{"a":1}"#), ("o", #"{"a":1}"#, ["a": 1]), ("o", #"{"a":1,"a":2}"#, #"{"a":1,"a":2}"#), ("ref", "7", 7),
            ("any", "7", 7), ("none", "7", "7"), ("unknown", "7", "7"),
        ] as [(String, String, JSONValue)]) func readsTexts(_ name: String, _ text: String, _ expected: JSONValue) throws
    {
        let schema = try JSONSchema(
            value(
                ##"""
                {"properties":{"i":{"type":"integer"},"n":{"type":"number"},"b":{"type":"boolean"},"s":{"type":"string"},
                "sn":{"type":["string","null"]},"l":{"type":"array"},"o":{"type":"object"},"ref":{"$ref":"#/$defs/i"},
                "any":{"anyOf":[{"type":"integer"},{"type":"null"}]},"none":{}},"$defs":{"i":{"type":"integer"}}}
                """##))
        #expect(schema.value(ofText: text, forMember: name) == expected)
    }

    @Test(
        arguments: [
            (#"{"b":1,"a":[1.0,2e2,null,"é\n"]}"#, #"{"a":[1,200,null,"é\n"],"b":1}"#), (#"{"é":1,"e":2,"Z":3}"#, #"{"Z":3,"e":2,"é":1}"#),
            ("-0.0", "0"), ("1.50", "15e-1"), ("1e300", "1e300"), ("9007199254740993", "9007199254740993"), ("-12.25", "-1225e-2"),
        ]) func hasACanonicalForm(_ text: String, _ expected: String) throws
    {
        let value = try value(text)
        #expect(String(decoding: JSONSchema.canonical(value), as: UTF8.self) == expected)
    }
}
