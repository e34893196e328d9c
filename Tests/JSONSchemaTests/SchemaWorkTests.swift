import JSON
import JSONSchema
import TestSupport
import Testing

/// Numbers, limits of work, texts from queries, and the canonical form.
@Suite struct SchemaWorkTests {
    private func value(_ text: String) throws -> JSONValue {
        let bytes = Array(text.utf8)
        return try JSONDocument(parsing: bytes.span).value()
    }

    private func accepts(_ schema: String, _ data: String) throws -> Bool {
        try JSONSchema(value(schema)).check(value(data)).violations.isEmpty
    }

    @Test(
        arguments: [
            (#"{"type":"integer"}"#, "1.0", true), (#"{"type":"integer"}"#, "1e20", false), (#"{"type":"number"}"#, "1e20", true),
            (#"{"type":"integer"}"#, "1.5", false),
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
        ]) func `is exact`(_ schema: String, data: String, expected: Bool) throws
    {
        #expect(try accepts(schema, data) == expected)
    }

    @Test func `orders numbers like integers`() throws {
        var generator = SeededGenerator(seed: 17)
        for _ in 0..<2000 {
            let (left, right) = (Int64.random(in: -1000...1000, using: &generator), Int64.random(in: -1000...1000, using: &generator))
            // The same numbers in hundredths.
            let (a, b) = ("\(Double(left) / 100)", "\(Double(right) / 100)")
            #expect(try accepts(#"{"minimum":\#(b)}"#, a) == (left >= right))
            #expect(try accepts(#"{"exclusiveMaximum":\#(b)}"#, a) == (left < right))
            #expect(try accepts(#"{"const":\#(b)}"#, a) == (left == right))
            if right > 0 { #expect(try accepts(#"{"multipleOf":\#(b)}"#, a) == left.isMultiple(of: right)) }
        }
    }

    /// Beyond the precision of a `Double`, and beyond 64 bits.
    @Test(
        arguments: [
            (#"{"const":0.1}"#, "0.1000000000000000055511151231257827", false), (#"{"const":19.99}"#, "19.989999999999998", false),
            (#"{"const":19.99}"#, "1999e-2", true), (#"{"enum":[9007199254740993.0]}"#, "9007199254740992.0", false),
            (#"{"enum":[9007199254740993.0]}"#, "9007199254740993", true),
            (#"{"maximum":9007199254740992.5}"#, "9007199254740992.6", false),
            (#"{"minimum":0.12345678901234567890123}"#, "0.12345678901234567890122", false),
            (#"{"minimum":0.12345678901234567890123}"#, "0.123456789012345678901230", true),
            (#"{"exclusiveMaximum":-0.1}"#, "-0.10000000000000000000000000001", true), (#"{"exclusiveMinimum":0}"#, "1e-320", true),
            (#"{"multipleOf":0.01}"#, "12345678901234567890123.45", true), (#"{"multipleOf":0.01}"#, "12345678901234567890123.455", false),
            (#"{"multipleOf":3}"#, "111111111111111111111111111111.0", true),
            (#"{"multipleOf":9}"#, "111111111111111111111111111111.0", false),
            (#"{"multipleOf":20}"#, "30", false), (#"{"multipleOf":20}"#, "60.00", true), (#"{"multipleOf":30}"#, "15", false),
            (#"{"uniqueItems":true}"#, "[0.1,0.1000000000000000055511151231257827]", true), (#"{"uniqueItems":true}"#, "[1.10,1.1]", false),
        ]) func `is exact beyond doubles`(_ schema: String, data: String, expected: Bool) throws
    {
        #expect(try accepts(schema, data) == expected)
    }

    /// The same digits at another position of the decimal point, with other zeros, are the same number; another last digit makes another
    /// number.
    @Test func `compares numbers in any spelling`() throws {
        var generator = SeededGenerator(seed: 21)
        for _ in 0..<500 {
            let digits =
                "1" + String((0..<Int.random(in: 0...40, using: &generator)).map { _ in generator.element(of: Array("0123456789")) })
            let (last, shift) = (Int.random(in: 0...8, using: &generator), Int.random(in: 1...30, using: &generator))
            let one = "\(digits)\(last)e-\(shift)"
            let other = "\(digits).\(last)0e\(1 - shift)"
            let next = "\(digits)\(last + 1)e-\(shift)"
            #expect(try accepts(#"{"const":\#(one)}"#, other))
            #expect(try accepts(#"{"minimum":\#(one),"maximum":\#(one)}"#, other))
            #expect(try JSONSchema.canonical(value(one)) == JSONSchema.canonical(value(other)))
            #expect(try !accepts(#"{"const":\#(one)}"#, next))
            #expect(try !accepts(#"{"maximum":\#(one)}"#, next))
            #expect(try accepts(#"{"exclusiveMinimum":\#(one)}"#, next))
            #expect(try accepts(#"{"exclusiveMaximum":-\#(one)}"#, "-\(next)"))
        }
    }

    /// A number that must be an integer is written as an integer, and all others keep their digits.
    @Test(
        arguments: [
            (#"{"type":"integer"}"#, "1.0", "1"), (#"{"type":"integer"}"#, "1E2", "100"), (#"{"type":"integer"}"#, "-0.0", "0"),
            (#"{"type":"integer"}"#, "100e-2", "1"), (#"{"type":"integer"}"#, "9007199254740993.0", "9007199254740993"),
            (#"{"type":"integer"}"#, "-9223372036854775808.0", "-9223372036854775808"), (#"{"type":["integer","null"]}"#, "1.0", "1"),
            (#"{"type":["integer","number"]}"#, "1.0", "1.0"), (#"{"type":"number"}"#, "1.0", "1.0"), (#"{"type":"number"}"#, "1E2", "1E2"),
            (#"{"type":"number"}"#, "19.990", "19.990"), ("{}", "1.0", "1.0"), (#"{"items":{"type":"integer"}}"#, "[1.0,2]", "[1,2]"),
            (#"{"properties":{"a":{"type":"integer"},"b":{}}}"#, #"{"b":1.0,"a":2.0}"#, #"{"b":1.0,"a":2}"#),
            (#"{"allOf":[{"type":"number"},{"type":"integer"}]}"#, "1.0", "1"),
            (##"{"$ref":"#/$defs/a","$defs":{"a":{"type":"integer"}}}"##, "1.0", "1"),
            (#"{"anyOf":[{"type":"string"},{"type":"integer"}]}"#, "1.0", "1"),
            (#"{"anyOf":[{"type":"integer","maximum":0},{"type":"number"}]}"#, "1.0", "1.0"),
            (#"{"oneOf":[{"type":"integer","maximum":0},{"type":"number"}]}"#, "1.0", "1.0"),
            (#"{"not":{"type":"integer","maximum":0}}"#, "1.0", "1.0"),
            (#"{"anyOf":[{"items":{"type":"integer"},"maxItems":1},{"items":{"type":"number"}}]}"#, "[1.0,2.0]", "[1.0,2.0]"),
            (#"{"items":{"anyOf":[{"type":"null"},{"properties":{"n":{"type":"integer"}}}]}}"#, #"[null,{"n":3.0}]"#, #"[null,{"n":3}]"#),
            (
                #"{"properties":{"\u00e9":{"type":"integer"},"e\u0301":{"type":"number"}}}"#, #"{"\u00e9":1.0,"e\u0301":1.0}"#,
                "{\"\u{e9}\":1,\"e\u{301}\":1.0}"
            ),
        ]) func `writes integers as integers`(_ schema: String, data: String, expected: String) throws
    {
        let (violations, checked) = try JSONSchema(value(schema), refusesUnknownNames: true).check(value(data))
        #expect(violations.isEmpty)
        #expect(String(decoding: checked.serialized(), as: UTF8.self) == expected)
    }

    @Test(arguments: ["9223372036854775808.0", "-9223372036854775809.0", "1e19", "1e20", "1e308"])
    func `reports an integer beyond 64 bits`(_ number: String) throws {
        let schema = try JSONSchema(value(#"{"properties":{"a":{"items":{"type":"integer"}}}}"#))
        let violations = try schema.check(value(#"{"a":[1,\#(number)]}"#)).violations
        #expect(violations.map(\.description) == ["a[1] must be an integer from -9223372036854775808 to 9223372036854775807"])
    }

    @Test(
        arguments: [
            ("{}", nil), (#"{"a":[1,1.5,-0,-0.0,0e9,1e308,1e-300,5e-324,9223372036854775807,-9223372036854775808]}"#, nil),
            (#"{"a":0.1234567890123456789012345678901234567890}"#, nil), (#"{"a":"1e400"}"#, nil), (#"{"a":1e400}"#, "a"),
            (#"{"a":-1e400}"#, "a"), (#"{"a":1e-400}"#, "a"), (#"{"a":-0.1e-99999999999999999999}"#, "a"),
            (#"{"a":123456789012345678901234567890}"#, "a"), (#"{"a":9223372036854775808}"#, "a"), (#"{"a":-9223372036854775809}"#, "a"),
            (#"{"b":{"c":[{},[0,1e999]]},"a":1e400}"#, "b.c[1][1]"), (#"{"\ud800":1e400}"#, "\u{FFFD}"),
            ("1e400", ""), ("[1e400]", "[0]"),
        ] as [(String, String?)])
    func `reports the first number beyond 64 bits`(_ text: String, _ place: String?) throws {
        let violation = try JSONSchema.violation(ofNumbersIn: JSONElement(parsing: Array(text.utf8).span))
        #expect(violation?.path == place)
        #expect(violation?.description == place.map { "\($0.isEmpty ? "the value" : $0) is a number beyond 64 bits" })
    }

    @Test func `limits the work`() throws {
        // Each definition refers to the next one four times: 4^12 comparisons of one value.
        let definitions = (0..<12).map { index in
            let next = "{\"$ref\":\"#/$defs/d\(index + 1)\"}"
            return "\"d\(index)\":{\"allOf\":[\(next),\(next),\(next),\(next)]}"
        }
        let schema = try JSONSchema(value("{\"$ref\":\"#/$defs/d0\",\"$defs\":{\(definitions.joined(separator: ",")),\"d12\":{}}}"))
        #expect(schema.check(1).violations.first?.description == "the value would take too long to check; give fewer values")
        let quiet = try JSONSchema(
            value("{\"anyOf\":[{\"$ref\":\"#/$defs/d0\"},{}],\"$defs\":{\(definitions.joined(separator: ",")),\"d12\":{}}}"))
        #expect(!quiet.check(1).violations.isEmpty)
        let parts = (0..<10_001).map { "\"p\($0)\":{}" }.joined(separator: ",")
        let tooMany = try value("{\"properties\":{\(parts)}}")
        #expect(throws: JSONSchema.Mistakes.self) { try JSONSchema(tooMany) }
    }

    /// Each level compares the text of all its contents, which is counted by its length.
    @Test(arguments: [(1000, true), (400_000, true), (600_000, false)]) func `limits the work of comparing items`(
        _ count: Int, _ isValid: Bool
    )
        throws
    {
        let levels = (0..<15).map { "\"d\($0)\":{\"type\":\"array\",\"uniqueItems\":true,\"items\":{\"$ref\":\"#/$defs/d\($0 + 1)\"}}" }
        let schema = try JSONSchema(value("{\"$ref\":\"#/$defs/d0\",\"$defs\":{\(levels.joined(separator: ",")),\"d15\":{}}}"))
        let text = JSONValue.string(String(repeating: "x", count: count))
        let nested = (0..<15).reduce(text) { inner, _ in .array([inner]) }
        #expect(schema.check(nested).violations.isEmpty == isValid)
    }

    /// A number's canonical form is short, however many zeros its text has.
    @Test(arguments: [(100, true), (1500, false), (60_000, false)]) func `limits the work of long numbers`(_ zeros: Int, _ isValid: Bool)
        throws
    {
        let alternatives = (0..<500).map { #"{"const":\#($0)}"# }.joined(separator: ",")
        let schema = try JSONSchema(value(#"{"anyOf":[\#(alternatives),{"type":"number"}]}"#))
        #expect(try schema.check(value("0.5\(String(repeating: "0", count: zeros))")).violations.isEmpty == isValid)
    }

    @Test func `checks many items fast`() throws {
        let many = JSONValue.array((0..<30_000).map { .array([.integer($0), .string("x")]) })
        let schema = try JSONSchema(value(#"{"type":"array","uniqueItems":true,"items":{"type":"array","minItems":2}}"#))
        #expect(schema.check(many).violations.isEmpty)
    }

    /// A long name is read once, not for each number below it.
    @Test func `writes many integers below a long name fast`() throws {
        let name = String(repeating: "é", count: 16_000)
        func below(_ number: JSONValue) -> JSONValue { ["p": .object(JSONObject([(name, .array(Array(repeating: number, count: 8000)))]))] }
        let schema = try JSONSchema(
            value(#"{"additionalProperties":{"type":"object","additionalProperties":{"type":"array","items":{"type":"integer"}}}}"#))
        let (violations, checked) = schema.check(below(.real(1)))
        #expect(violations.isEmpty)
        #expect(checked == below(1))
    }

    @Test(
        arguments: [
            ("i", "5", 5), ("i", "5.0", .real(5)), ("i", "five", "five"), ("i", "", ""), ("i", "\"5\"", "\"5\""),
            ("n", "-1.5", .real(-1.5)),
            ("b", "true", true), ("b", "1", "1"), ("s", "5", "5"), ("s", "true", "true"), ("sn", "null", "null"), ("l", "[1]", [1]),
            ("l", #"{"a":1}"#, #"{"a":1}"#), ("o", #"{"a":1}"#, ["a": 1]), ("o", #"{"a":1,"a":2}"#, #"{"a":1,"a":2}"#), ("ref", "7", 7),
            ("any", "7", 7), ("none", "7", "7"), ("unknown", "7", "7"),
        ] as [(String, String, JSONValue)]) func `parses texts`(_ name: String, text: String, expected: JSONValue) throws
    {
        let schema = try JSONSchema(
            value(
                ##"""
                {"properties":{"i":{"type":"integer"},"n":{"type":"number"},"b":{"type":"boolean"},"s":{"type":"string"},
                "sn":{"type":["string","null"]},"l":{"type":"array"},"o":{"type":"object"},"ref":{"$ref":"#/$defs/i"},
                "any":{"anyOf":[{"type":"integer"},{"type":"null"}]},"none":{}},"$defs":{"i":{"type":"integer"}}}
                """##))
        #expect(try schema.value(ofText: text, forMember: name) == expected)
    }

    @Test(
        arguments: [
            ("i", "1e400", "i"), ("i", "123456789012345678901234567890", "i"), ("n", "-1e400", "n"), ("n", "1e-400", "n"),
            ("l", "[1,[1e400]]", "l[1][0]"), ("o", #"{"a":{"b":1e400}}"#, "o.a.b"), ("s", "1e400", nil), ("unknown", "1e400", nil),
            ("o", #"{"a":"1e400"}"#, nil),
        ] as [(String, String, String?)])
    func `reports a number beyond 64 bits in a text`(_ name: String, text: String, place: String?) throws {
        let schema = try JSONSchema(
            value(
                #"""
                {"properties":{"i":{"type":"integer"},"n":{"type":"number"},"s":{"type":"string"},"l":{"type":"array"},
                "o":{"type":"object"}}}
                """#))
        var found: String?
        do throws(JSONSchema.Violation) {
            _ = try schema.value(ofText: text, forMember: name)
        } catch {
            found = error.path
        }
        #expect(found == place)
    }

    @Test(
        arguments: [
            (#"{"b":1,"a":[1.0,2e2,null,"é\n"]}"#, #"{"a":[1,200,null,"é\n"],"b":1}"#), (#"{"é":1,"e":2,"Z":3}"#, #"{"Z":3,"e":2,"é":1}"#),
            ("-0.0", "0"), ("-0", "0"), ("0e999999999999999999999", "0"), ("1.50", "1.5"), ("1e300", "1e300"), ("1E2", "100"),
            ("9007199254740993", "9007199254740993"), ("9007199254740993.0", "9007199254740993"), ("-12.25", "-12.25"), ("19.99", "19.99"),
            ("1999e-2", "19.99"), ("0.1", "0.1"), ("0.10e0", "0.1"), ("1e-6", "0.000001"), ("1e-7", "1e-7"),
            ("1234567890123456789e0", "1234567890123456789"), ("9223372036854775807.0", "9223372036854775807"),
            ("-9223372036854775808.0", "-9223372036854775808"), ("9223372036854775808.0", "9223372036854775808e0"),
            ("-9223372036854775809.0", "-9223372036854775809e0"), ("9999999999999999999e0", "9999999999999999999e0"),
            ("123456789012345678901e0", "123456789012345678901e0"),
            ("0.12345678901234567890123", "0.12345678901234567890123"), ("12345678901234567890123e5", "12345678901234567890123e5"),
            ("-0.000", "0"),
        ]) func `has a canonical form`(_ text: String, _ expected: String) throws
    {
        let value = try value(text)
        #expect(String(decoding: JSONSchema.canonical(value), as: UTF8.self) == expected)
    }
}
