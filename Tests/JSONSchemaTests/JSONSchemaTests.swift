import JSON
import JSONSchema
import Testing

@Suite struct JSONSchemaTests {
    private func schema(_ text: String, closed: Bool = true) throws -> JSONSchema {
        try JSONSchema(value(text), refusesUnknownNames: closed)
    }

    private func value(_ text: String) throws -> JSONValue {
        let bytes = Array(text.utf8)
        return try JSONDocument(parsing: bytes.span).value()
    }

    private func mistakes(_ text: String, closed: Bool = true) throws -> [String] {
        let schema = try value(text)
        do throws(JSONSchema.Mistakes) {
            _ = try JSONSchema(schema, refusesUnknownNames: closed)
            return []
        } catch {
            return error.all.map { "\($0.path): \($0.description)" }
        }
    }

    @Test(
        arguments: [
            (#"{"type":"object","properties":{"order_id":{"type":"string"}},"required":["order_id"]}"#, "{}", "order_id is missing"),
            (#"{"type":"object","properties":{}}"#, "[]", "the value must be an object"),
            (#"{"properties":{"a":{"type":["string","null"]}}}"#, #"{"a":1}"#, "a must be a string or null"),
            (
                #"{"properties":{"items":{"type":"array","items":{"properties":{"count":{"maximum":10}}}}}}"#,
                #"{"items":[{},{},{"count":11}]}"#, "items[2].count must be at most 10"
            ),
            (#"{"properties":{"a":{},"b":{}}}"#, #"{"c":1}"#, "c is unknown; known here: a, b"),
            (#"{"properties":{}}"#, #"{"__proto__":1}"#, "__proto__ is unknown; there are no names here"),
            (#"{"properties":{"a":{"enum":["x",1]}}}"#, #"{"a":"secret"}"#, #"a must be one of "x", 1"#),
            (#"{"properties":{"a":{"enum":[19.99,0.1]}}}"#, #"{"a":1}"#, "a must be one of 19.99, 0.1"),
            (#"{"properties":{"a":{"maximum":19.99}}}"#, #"{"a":20}"#, "a must be at most 19.99"),
            (#"{"properties":{"a":{"minimum":0.1}}}"#, #"{"a":0}"#, "a must be at least 0.1"),
            (#"{"properties":{"a":{"const":7}}}"#, #"{"a":8}"#, "a must be 7"),
            (#"{"properties":{"a":{"minLength":2}}}"#, #"{"a":"😀"}"#, "a must have at least 2 characters"),
            (#"{"properties":{"a":{"maxLength":1}}}"#, #"{"a":"ab"}"#, "a must have at most 1 character"),
            (#"{"properties":{"a":{"exclusiveMinimum":0.5}}}"#, #"{"a":0.5}"#, "a must be more than 0.5"),
            (#"{"properties":{"a":{"exclusiveMaximum":3}}}"#, #"{"a":3.0}"#, "a must be less than 3"),
            (#"{"properties":{"a":{"multipleOf":0.01}}}"#, #"{"a":0.015}"#, "a must be a multiple of 0.01"),
            (#"{"properties":{"a":{"format":"date"}}}"#, #"{"a":"2025-02-29"}"#, "a must be a date such as 2026-01-31"),
            (#"{"properties":{"a":{"uniqueItems":true}}}"#, #"{"a":[1,1.0]}"#, "a must not contain an item twice"),
            (#"{"properties":{"a":{"minItems":1}}}"#, #"{"a":[]}"#, "a must have at least 1 item"),
            (
                #"{"properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]}}}"#, #"{"a":1}"#,
                "a has none of the forms that are allowed"
            ),
            (
                #"{"properties":{"a":{"oneOf":[{"type":"integer"},{"minimum":2}]}}}"#, #"{"a":3}"#,
                "a fits 2 of the forms that are allowed, where it must fit one"
            ),
            (#"{"properties":{"a":{"not":{"type":"string"}}}}"#, #"{"a":"x"}"#, "a must not be like this"),
            (#"{"properties":{"a":false}}"#, #"{"a":1}"#, "a is not allowed"),
        ]) func `reports what to do`(_ text: String, data: String, expected: String) throws
    {
        #expect(try schema(text).check(value(data)).violations.map(\.description) == [expected])
    }

    @Test func `reports a few at once`() throws {
        let schema = try schema(#"{"properties":{"a":{"type":"integer"},"b":{"type":"string"}},"required":["a","b"]}"#)
        #expect(try schema.check(value(#"{"a":"x","c":1}"#)).violations.map(\.path) == ["b", "a", "c"])
        let names = (0..<1000).map { "\"n\($0)\":1" }.joined(separator: ",")
        #expect(try schema.check(value("{\(names)}")).violations.count == JSONSchema.maximumViolations)
    }

    @Test func `reports no value`() throws {
        let schema = try schema(
            #"{"properties":{"a":{"type":"integer","minimum":5},"b":{"maxLength":3,"format":"uuid"},"c":{"enum":["x"]}},"required":["a"]}"#)
        let reported = try schema.check(value(#"{"a":"SECRET","b":"SECRET","c":"SECRET"}"#)).violations.map(\.description).joined()
        #expect(!reported.contains("SECRET"))
        #expect(reported.contains("a must be an integer"))
    }

    @Test func `shows names safely`() throws {
        let schema = try schema(#"{"properties":{}}"#)
        let name = "a\\u0007\\n" + String(repeating: "x", count: 500)
        let reported = try schema.check(value("{\"\(name)\":1}")).violations[0].description
        #expect(reported.hasPrefix("a??xxx"))
        #expect(reported.count < 120)
        #expect(JSONSchema.shown("") == "\"\"")
    }

    // Which names are unknown.

    @Test(
        arguments: [
            (#"{"properties":{"a":{"properties":{"b":{}}}}}"#, #"{"a":{"c":1}}"#, false),
            (#"{"properties":{"a":{"items":{"properties":{"b":{}}}}}}"#, #"{"a":[{"c":1}]}"#, false),
            (#"{"properties":{"a":{}},"additionalProperties":true}"#, #"{"c":1}"#, true),
            (#"{"additionalProperties":{"type":"string"},"properties":{"a":{}}}"#, #"{"c":"x"}"#, true),
            (#"{"additionalProperties":{"type":"string"},"properties":{"a":{}}}"#, #"{"c":1}"#, false),
            (#"{"properties":{"a":{"type":"object"}}}"#, #"{"a":{"anything":1}}"#, true),
            (#"{"properties":{"a":{"anyOf":[{"properties":{"b":{}}}]}}}"#, #"{"a":{"c":1}}"#, false),
            (#"{"properties":{"a":{"allOf":[{"properties":{"b":{}}},{"properties":{"c":{}}}]}}}"#, #"{"a":{"b":1,"c":1}}"#, true),
            (#"{"properties":{"a":{"not":{"properties":{"b":{"const":1}}}}}}"#, #"{"a":{"b":2,"c":1}}"#, true),
            (##"{"properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"properties":{"b":{}}}}}"##, #"{"a":{"c":1}}"#, false),
            (#"{"properties":{"é":{}}}"#, #"{"e\u0301":1}"#, false),
        ]) func `closes objects`(_ text: String, data: String, isValid: Bool) throws
    {
        #expect(try schema(text).check(value(data)).violations.isEmpty == isValid)
    }

    @Test func `leaves objects open unless reported`() throws {
        #expect(try schema(#"{"properties":{"a":{}}}"#, closed: false).check(value(#"{"c":1}"#)).violations.isEmpty)
    }

    /// A sign or a space is no digit of an escape.
    @Test(
        arguments: [
            ("a", true), ("%61", true), ("%01", true), ("%0A", true), ("%0a", true), ("%62", false), ("%+1", false), ("%-1", false),
            ("% 1", false), ("%1", false), ("%", false), ("a%", false), ("%%61", false), ("%C3", false), ("%2F", false), ("%g1", false),
        ])
    func `decodes references`(name: String, isKnown: Bool) throws {
        let text = ##"{"items":{"$ref":"#/$defs/\##(name)"},"$defs":{"a":{},"\u0001":{},"\n":{},"%":{},"%1":{},"a%":{}}}"##
        #expect(try mistakes(text).isEmpty == isKnown)
    }

    @Test(
        arguments: [
            ("https://a.test/%41?%41#%41", true), ("https://a.test/%aF", true), ("https://a.test/%+1", false), ("https://a.test/%4", false),
            ("https://a.test/%", false), ("https://a.test/?%-1", false), ("https://a.test/#%g1", false), ("https://%4x.test/", false),
        ])
    func `an address has whole escapes`(address: String, isValid: Bool) throws {
        #expect(try schema(#"{"format":"uri"}"#).check(.string(address)).violations.isEmpty == isValid)
    }

    // What is refused when a schema is read.

    @Test(
        arguments: [
            (
                #"{"properties":{"a":{"pattern":"^a"}}}"#,
                ".properties.a.pattern: this keyword is not supported; docs/BOTS.md lists those that are"
            ),
            (
                #"{"properties":{"a":{"$ref":"https://example.com/a"}}}"#,
                ##".properties.a.$ref: must be "#/$defs/NAME"; other references are not supported"##
            ),
            (##"{"properties":{"a":{"$ref":"#/$defs/a"}}}"##, ".properties.a.$ref: there is no $defs.a"),
            (
                ##"{"$defs":{"a":{"items":{"$ref":"#/$defs/a"}}}}"##,
                ".$defs.a.items.$ref: refers to itself, also by way of others; a schema must end somewhere"
            ),
            (
                #"{"type":"text"}"#,
                #".type: must be one of "null", "boolean", "integer", "number", "string", "array", "object", or a list of some, each once"#
            ),
            (
                #"{"type":["string","string"]}"#,
                #".type: must be one of "null", "boolean", "integer", "number", "string", "array", "object", or a list of some, each once"#
            ),
            (#"{"type":[]}"#, ".type: must name at least one type"),
            (#"{"enum":[]}"#, ".enum: must be a list of at least one value"),
            (#"{"minLength":-1}"#, ".minLength: must be a whole number of at least 0"),
            (#"{"minLength":1.5}"#, ".minLength: must be a whole number of at least 0"),
            (#"{"maxItems":1e30}"#, ".maxItems: must be a whole number of at least 0"),
            (#"{"minimum":"1"}"#, ".minimum: must be a number"),
            (#"{"multipleOf":0}"#, ".multipleOf: must be a number above 0"),
            (#"{"multipleOf":-1}"#, ".multipleOf: must be a number above 0"),
            (#"{"multipleOf":0.12345678901234567891}"#, ".multipleOf: must be a number of at most 19 digits"),
            (#"{"items":[{}]}"#, ".items: a schema for each place is not supported; give one schema for all items"),
            (#"{"properties":[]}"#, ".properties: must be an object of schemas"),
            (#"{"properties":{"a":1}}"#, ".properties.a: must be a schema, which is an object, true or false"),
            (#"{"required":["a","a"]}"#, ".required: must be a list of names, each once"),
            (#"{"required":"a"}"#, ".required: must be a list of names, each once"),
            (#"{"properties":{"a":{}},"required":["b"]}"#, #".required: b is not in "properties", and other names are not allowed"#),
            (#"{"anyOf":[]}"#, ".anyOf: must be a list of at least one schema"),
            (#"{"anyOf":[{},{"if":{}}]}"#, ".anyOf[1].if: this keyword is not supported; docs/BOTS.md lists those that are"),
            (#"{"uniqueItems":1}"#, ".uniqueItems: must be true or false"),
            (#"{"title":1}"#, ".title: must be a string"),
            (#"{"examples":1}"#, ".examples: must be a list"),
            (
                #"{"$schema":"http://json-schema.org/draft-07/schema#"}"#,
                #".$schema: only "https://json-schema.org/draft/2020-12/schema" is supported; remove it if nothing else depends on it"#
            ),
            (#"{"items":{"$defs":{}}}"#, ".items.$defs: must be at the root of the schema"),
            (#"{"$defs":[]}"#, ".$defs: must be an object of schemas"),
            ("[]", ": must be a schema, which is an object, true or false"),
        ]) func refuses(_ text: String, _ expected: String) throws
    {
        #expect(try mistakes(text) == [expected])
    }

    @Test func `refuses every mistake at once`() throws {
        let all = try mistakes(#"{"type":"x","properties":{"a":{"pattern":"a","minLength":-1},"b":{"format":"color"}}}"#)
        #expect(all.count == 4)
        #expect(all[3].hasPrefix(".properties.b.format: this format is not supported; supported are \"date\", "))
    }

    @Test func `refuses circles`() throws {
        let long = (0..<200).map { "\"d\($0)\":{\"items\":{\"$ref\":\"#/$defs/d\($0 + 1)\"}}" }.joined(separator: ",")
        #expect(try mistakes("{\"$defs\":{\(long),\"d200\":{}}}").first?.contains("nested more than 64 deep") == true)
        let two = ##"{"$defs":{"a":{"allOf":[{"$ref":"#/$defs/b"}]},"b":{"properties":{"x":{"$ref":"#/$defs/a"}}}}}"##
        let circles = try mistakes(two)
        #expect(!circles.isEmpty)
        #expect(circles.allSatisfy { $0.contains("refers to itself") })
    }
}
