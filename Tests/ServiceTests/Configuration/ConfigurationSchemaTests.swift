import JSON
import JSONSchema
import POSIX
import TestSupport
import Testing

@testable import Configuration

/// The JSON Schema of the configuration rejects each single value that the parser rejects, and accepts all that the parser accepts.
@Suite struct ConfigurationSchemaTests {
    private let schema: JSONSchema
    private let full: JSONValue
    private let places: [ConfigurationPlace]
    private let directory: ConfigurationDirectory

    init() throws {
        schema = try JSONSchema(ConfigurationSchema.json)
        full = try Self.file("docs/config.full.json")
        // One value for each key.
        places = Dictionary(grouping: ConfigurationPlace.all(in: full), by: \.name).compactMap(\.value.first)
        directory = try ConfigurationExampleTests.directory()
    }

    @Test(
        arguments: ConfigurationExampleTests.starts + ["docs/config.full.json"]
            + ["sqlite", "postgres"].map { "deploy/kubernetes/overlays/\($0)/config.json" })
    func `it accepts every example`(_ name: String) throws {
        #expect(schema.check(try Self.file(name)).violations.map(\.description) == [])
    }

    @Test func `it accepts a secret in the configuration, which a laptop may use`() throws {
        let json: JSONValue = ["allow_insecure_secrets": true, "apps": [["app_id": "shop", "keys": [["id": 1, "secret": "secret"]]]]]
        #expect(schema.check(json).violations == [])
    }

    @Test func `it rejects unknown keys like the parser`() throws {
        let objects = places.compactMap { place -> JSONValue? in
            guard case .object(let object) = place.value, !place.pattern.hasSuffix(".parameters") else { return nil }
            return place.root(with: Self.withUnknownKey(object))
        }
        guard case .object(let root) = full else { throw Unexpected() }
        #expect(objects.count > 40, "it looks at the objects")
        #expect(try (objects + [Self.withUnknownKey(root)]).map(verdict).filter { $0 != .both } == [])
    }

    /// A list within a list is not a value of any key.
    @Test func `it rejects values of another type like the parser`() throws {
        let wrong = try places.filter { try verdict(on: $0.root(with: [[[]]])) != .both }
        #expect(wrong.map(\.path) == [])
    }

    @Test(arguments: [-1, Int64.max]) func `it rejects numbers out of range like the parser`(_ number: Int64) throws {
        let numbers = places.filter { place in
            switch place.value {
            case .integer, .number: true
            default: false
            }
        }
        #expect(numbers.count > 50, "it looks at the numbers")
        let wrong = try numbers.filter { try verdict(on: $0.root(with: .integer(number))) != .both }
        #expect(wrong.map(\.path) == [])
    }

    @Test func `it rejects unknown words like the parser`() throws {
        let words = places.filter { ["apps[].keys[].state", "log.level", "store.type", "notifiers.NAME.type"].contains($0.pattern) }
        #expect(!words.isEmpty)
        #expect(try words.filter { try verdict(on: $0.root(with: "nonsense")) != .both }.map(\.path) == [])
    }

    @Test func `it requires only keys that the parser requires`() throws {
        let required = places.filter { !schema.check($0.root(with: nil)).violations.isEmpty }
        #expect(required.count > 40, "it requires some")
        #expect(try required.filter { try verdict(on: $0.root(with: nil)) != .both }.map(\.path) == [])
    }

    @Test func `descriptions are plain text`() throws {
        let text = String(decoding: ConfigurationSchema.json.serialized(), as: UTF8.self)
        #expect(!text.contains("]("))
        #expect(text.contains(#""description":"the address to listen on"#))
    }

    private enum Verdict {
        case neither, schema, reader, both
    }

    private struct Unexpected: Error {}

    private func verdict(on json: JSONValue) throws -> Verdict {
        let isRefused = !schema.check(json).violations.isEmpty
        let isRefusedByReader = try !directory.problems(String(decoding: json.serialized(), as: UTF8.self)).isEmpty
        return isRefused ? (isRefusedByReader ? .both : .schema) : (isRefusedByReader ? .reader : .neither)
    }

    private static func withUnknownKey(_ object: JSONObject) -> JSONValue {
        .object(JSONObject(object.members.map { ($0.key, $0.value) } + [("nonsense", 1)]))
    }

    private static func file(_ name: String) throws -> JSONValue {
        let contents = try File.read("\(packageRoot)/\(name)", limit: 1 << 20)
        return try JSONDocument(parsing: contents.bytes.span).value()
    }
}
