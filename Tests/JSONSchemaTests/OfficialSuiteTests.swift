import JSON
import JSONSchema
import POSIX
import Testing

/// The official JSON-Schema-Test-Suite, draft 2020-12, from Debian's libtest-json-schema-acceptance-perl.
@Suite struct OfficialSuiteTests {
    static let directory = "/usr/share/perl5/auto/share/dist/Test-JSON-Schema-Acceptance/tests/draft2020-12"

    /// The supported keywords according to docs/BOTS.md.
    static let claimed: Set<String> = [
        "type", "enum", "const", "properties", "required", "additionalProperties", "minProperties", "maxProperties", "items", "minItems",
        "maxItems", "uniqueItems", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength",
        "format", "allOf", "anyOf", "oneOf", "not", "$ref", "$defs", "title", "description", "default", "examples", "$schema", "$comment",
    ]

    /// Each file of a supported keyword, with the minimum number of its tests that must run; the rest of it uses other keywords.
    static let files: [(name: String, least: Int)] = [
        ("additionalProperties", 8), ("allOf", 30), ("anyOf", 18), ("boolean_schema", 18), ("const", 50), ("default", 7), ("enum", 33),
        ("exclusiveMaximum", 4), ("exclusiveMinimum", 4), ("infinite-loop-detection", 2), ("items", 12), ("maxItems", 6), ("maxLength", 7),
        ("maxProperties", 10), ("maximum", 8), ("minItems", 6), ("minLength", 7), ("minProperties", 8), ("minimum", 11),
        ("multipleOf", 10), ("not", 12), ("oneOf", 27), ("properties", 20), ("ref", 20), ("required", 16), ("type", 80),
        ("uniqueItems", 42), ("optional/format/date", 47),
        ("optional/format/date-time", 25), ("optional/format/email", 22), ("optional/format/hostname", 18), ("optional/format/ipv4", 15),
        ("optional/format/ipv6", 40), ("optional/format/time", 45), ("optional/format/uri", 26), ("optional/format/uuid", 21),
    ]

    /// The contents of the skipped files, to verify the reasons: `format` requires that formats are not checked, which is the draft's
    /// default; `optional/bignum` and `optional/float-overflow` have integers beyond 64 bits.
    @Test func `skips for a reason`() throws {
        let formats = try Self.groups("format").filter { Self.unclaimed($0.schema).isEmpty }.flatMap(\.tests)
        #expect(formats.allSatisfy { $0.isValid })
        #expect(throws: JSONError.self) { try Self.groups("optional/bignum") }
        let overflow = try Self.groups("optional/float-overflow")
        #expect(try overflow.flatMap(\.tests).map(\.data) == [JSONDocument(parsing: Array("1e308".utf8).span).value()])
    }

    /// The files of unsupported keywords; with those above and the skipped ones they are all of the draft's required files.
    static let others = [
        "contains", "content", "dependentRequired", "dependentSchemas", "dynamicRef", "if-then-else", "maxContains", "minContains",
        "pattern", "patternProperties", "prefixItems", "propertyNames", "unevaluatedItems", "unevaluatedProperties", "unknownKeyword",
        "vocabulary", "defs", "refRemote", "anchor", "id",
    ]

    struct Group {
        let name: String
        let schema: JSONValue
        let tests: [(name: String, data: JSONValue, isValid: Bool)]
    }

    static func groups(_ file: String) throws -> [Group] {
        let bytes = try File.read("\(directory)/\(file).json", limit: 1 << 20).bytes
        return try JSONDocument(parsing: bytes.span).value().elements.map { group in
            Group(
                name: group["description"]?.text ?? "", schema: try #require(group["schema"]),
                tests: try #require(group["tests"]).elements.map { test in
                    (test["description"]?.text ?? "", try #require(test["data"]), test["valid"] == true)
                })
        }
    }

    /// The unsupported keywords in a schema; of references, those outside of `$defs`.
    static func unclaimed(_ schema: JSONValue) -> Set<String> {
        guard case .object(let object) = schema else { return [] }
        var found: Set<String> = []
        for member in object.members {
            switch member.key {
            case "properties", "$defs":
                if case .object(let schemas) = member.value { for schema in schemas.members { found.formUnion(unclaimed(schema.value)) } }
            case "allOf", "anyOf", "oneOf": for schema in member.value.elements { found.formUnion(unclaimed(schema)) }
            case "items", "additionalProperties", "not": found.formUnion(unclaimed(member.value))
            case "$ref": if member.value.text?.hasPrefix("#/$defs/") != true { found.insert("$ref") }
            case let key: if !claimed.contains(key) { found.insert(key) }
            }
        }
        return found
    }

    @Test(arguments: files) func `the validator agrees with the official suite`(_ file: (name: String, least: Int)) throws {
        var count = 0
        for group in try Self.groups(file.name) where Self.unclaimed(group.schema).isEmpty {
            let schema = try JSONSchema(group.schema)
            for test in group.tests {
                let violations = schema.check(test.data).violations
                #expect(violations.isEmpty == test.isValid, "\(group.name): \(test.name): \(violations.map(\.description))")
                count += 1
            }
        }
        #expect(count >= file.least, "\(count) tests ran")
    }

    @Test func `runs most of the suite`() throws {
        let counts = try Self.files.map { file in
            try Self.groups(file.name).filter { Self.unclaimed($0.schema).isEmpty }.reduce(0) { $0 + $1.tests.count }
        }
        #expect(counts.reduce(0, +) >= 737)
    }

    /// A schema of the suite beyond the subset is rejected when it is parsed, not ignored.
    @Test func `rejects unsupported schemas`() throws {
        var refused = 0
        for file in Self.files.map(\.name) + Self.others {
            for group in try Self.groups(file) where !Self.unclaimed(group.schema).isEmpty {
                refused += 1
                do {
                    _ = try JSONSchema(group.schema)
                    Issue.record("\(file): \(group.name) was taken")
                } catch {
                    #expect(error.all.allSatisfy { !$0.description.isEmpty }, "\(file): \(group.name)")
                }
            }
        }
        #expect(refused >= 150, "\(refused) groups were refused")
    }
}
