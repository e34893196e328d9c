import JSON
import Testing

/// `deskgate config schema`
@Suite struct ConfigSchemaTests {
    @Test func `it prints a JSON Schema without a configuration`() throws {
        let result = try Deskgate.run(["config", "schema"])
        #expect(result.code == 0)
        #expect(result.errors.isEmpty)
        let schema = try result.json
        #expect(schema["$schema"] == "https://json-schema.org/draft/2020-12/schema")
        #expect(schema["properties"]?["listen"]?["properties"]?["port"]?["maximum"] == 65_535)
    }

    @Test func `machines get the same schema in one line`() throws {
        let result = try Deskgate.run(["config", "schema", "--json"])
        #expect(result.code == 0)
        #expect(result.output.split(separator: "\n").count == 1)
        #expect(try result.json == Deskgate.run(["config", "schema"]).json)
    }
}
