import JSON
import Testing

@Suite struct JSONValueTests {
    private func text(_ value: JSONValue, pretty: Bool = false) -> String {
        String(decoding: value.serialized(pretty: pretty), as: UTF8.self)
    }

    @Test(
        arguments: [
            (nil, "null"), (true, "true"), (false, "false"), (0, "0"), (-9_223_372_036_854_775_808, "-9223372036854775808"),
            (.integer(.max), "9223372036854775807"), (.real(1.5), "1.5"), (.real(1), "1.0"), (.real(-0.0), "-0.0"), (.real(19.99), "19.99"),
            (.real(0.1), "0.1"), (.real(1e-7), "1e-07"), (.real(1e300), "1e+300"), ("", #""""#),
            ("a\"b\\c/d", #""a\"b\\c/d""#), ("a\0b", #""a\u0000b""#), ("\n\r\t\u{8}\u{c}\u{1}\u{7f}", "\"\\n\\r\\t\\b\\f\\u0001\u{7f}\""),
            ("caf\u{e9} 漢 😀", "\"caf\u{e9} 漢 😀\""), ([], "[]"), ([:], "{}"), ([1, "a", nil, [true]], #"[1,"a",null,[true]]"#),
            (["z": 1, "a": ["b": []], "": ""], #"{"z":1,"a":{"b":[]},"":""}"#),
        ] as [(JSONValue, String)])
    func `writes compactly`(_ value: JSONValue, _ expected: String) {
        #expect(text(value) == expected)
        #expect(Array(text(value).utf8) == Array(expected.utf8))
    }

    @Test func `writes indented`() {
        let value: JSONValue = ["status": 403, "reasons": ["expired"], "none": [:], "ratio": .real(19.99), "list": [[], [1, nil]]]
        let expected = """
            {
              "status": 403,
              "reasons": [
                "expired"
              ],
              "none": {},
              "ratio": 19.99,
              "list": [
                [],
                [
                  1,
                  null
                ]
              ]
            }
            """
        #expect(text(value, pretty: true) == expected)
    }

    @Test func `writes texts longer than an inline buffer`() {
        let long = String(repeating: "x\u{e9}", count: 5_000)
        #expect(text([.string(long)]) == "[\"\(long)\"]")
    }

    @Test func `writes NUL in keys`() {
        #expect(text(["a\0b": 1]) == #"{"a\u0000b":1}"#)
    }

    @Test func `keeps the order of members`() throws {
        let keys = (0..<1_000).map { "k\($0 * 7_919 % 1_000)" }
        let source = "{" + keys.map { "\"\($0)\":0" }.joined(separator: ",") + "}"
        guard case .object(let object) = try value(of: source) else {
            Issue.record("not an object")
            return
        }
        #expect(object.members.map(\.key) == keys)
        #expect(text(.object(object)) == source)
    }

    @Test func `finds members`() {
        var object: JSONObject = ["a": 1, "b": nil]
        object.append("x", forKey: "c")
        #expect(object["a"] == .integer(1))
        #expect(object["b"] == .some(.null))
        #expect(object["c"] == .string("x"))
        #expect(object["d"] == .none)
    }

    @Test func `compares as bytes`() {
        #expect(JSONValue.string("caf\u{e9}") != .string("cafe\u{301}"))
        #expect(JSONObject(dictionaryLiteral: ("caf\u{e9}", 1)) != ["cafe\u{301}": 1])
        #expect(JSONObject(dictionaryLiteral: ("caf\u{e9}", 1), ("cafe\u{301}", 2))["cafe\u{301}"] == .integer(2))
    }

    @Test func `compares kind content and order`() {
        let values: [JSONValue] = [
            nil, true, false, 0, 1, .real(0), .real(1), "", "1", [], [1], [1, 1], [:], ["a": 1], ["a": 2], ["b": 1],
        ]
        for (index, left) in values.enumerated() {
            for (other, right) in values.enumerated() {
                #expect((left == right) == (index == other), "\(left) and \(right)")
            }
        }
        #expect((["a": 1, "b": 2] as JSONValue) != ["b": 2, "a": 1])
    }

    // The value is passed to the other process as JSON, which has no infinity, so its bit pattern is passed.
    @Test(arguments: [Double.infinity, -.infinity, .nan].map(\.bitPattern))
    func `traps on non finite reals`(_ bits: UInt64) async {
        await #expect(processExitsWith: .failure) { [bits] in
            _ = JSONValue.real(Double(bitPattern: bits)).serialized()
        }
    }

    @Test func `traps on duplicate keys`() async {
        await #expect(processExitsWith: .failure) {
            _ = ["a": 1, "a": 2] as JSONValue
        }
        await #expect(processExitsWith: .failure) {
            _ = ["a": nil, "b": 1, "a": nil] as JSONObject
        }
    }
}
